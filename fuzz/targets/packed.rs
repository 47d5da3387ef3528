//! The target `packed` as a program of libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robomaton_fuzz::packed(data));
