//! The target `packed` as a program of libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(init: robomaton_fuzz::let_parquet_panic(), |data: &[u8]| robomaton_fuzz::packed(data));
