//! The target `request` as a program of libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robomaton_fuzz::request(data));
