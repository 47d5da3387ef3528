//! The target `oracle` as a program of libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robomaton_fuzz::oracle(data));
