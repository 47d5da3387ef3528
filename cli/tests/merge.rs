//! Several images: `merge`, `compile --shards`, and directories of shards in every command.

mod common;

use common::Place;

/// Two images, and an image of all their captures.
fn two_images() -> Place {
    let place = Place::with_image();
    let line = |host: &str, at: u32, rule: &str| {
        let body = format!("User-agent: *\nDisallow: {rule}\n");
        serde_json::json!({ "url": format!("https://{host}/robots.txt"), "fetched_at": at, "body": body })
            .to_string()
    };
    let newer = 1_800_000_000;
    place.write("more.jsonl", [line("b.example", newer, "/new"), line("c.example", 1, "/c")].join("\n"));
    place.run(&["compile", "more.jsonl", "-o", "more.rimg"]).ok();
    place.run(&["compile", "captures.jsonl", "more.jsonl", "-o", "all.rimg"]).ok();
    place
}

#[test]
fn merged_images_are_that_of_all_captures() {
    let place = two_images();
    let read = |name| std::fs::read(place.path(name)).unwrap();
    let said = place.run(&["merge", "i.rimg", "more.rimg", "-o", "m.rimg"]).ok();
    assert!(said.starts_with("2 images merged: 7 sites, "), "{said}");
    assert_eq!(read("m.rimg"), read("all.rimg"));
    place.run(&["merge", "more.rimg", "m.rimg", "i.rimg", "more.rimg", "-o", "m.rimg"]).ok();
    assert_eq!(read("m.rimg"), read("all.rimg"), "an image may be replaced by what it is merged into");
    let summary = &place.run(&["merge", "i.rimg", "more.rimg", "-o", "m.rimg", "--json"]).json()[0];
    assert_eq!((&summary["images"], &summary["sites"]), (&2.into(), &7.into()));
    assert_eq!(summary["image_bytes"], read("all.rimg").len());
    let answers =
        place.run(&["query", "m.rimg", "--agent", "a", "https://b.example/new", "https://b.example/x1y"]);
    assert_eq!(answers.ok(), "disallowed\thttps://b.example/new\nallowed\thttps://b.example/x1y\n");
}

#[test]
fn what_cannot_be_merged_is_an_error() {
    let place = two_images();
    place.run(&["compile", "captures.jsonl", "-o", "google.rimg", "--profile", "google"]).ok();
    place
        .run(&["merge", "i.rimg", "google.rimg", "-o", "m.rimg"])
        .fails("google.rimg: was compiled with another profile");
    let mut bytes = std::fs::read(place.path("more.rimg")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    place.write("bent.rimg", &bytes);
    place.run(&["merge", "i.rimg", "bent.rimg", "-o", "m.rimg"]).fails("bent.rimg: image damaged at byte 0x");
    place.run(&["merge", "i.rimg", "gone.rimg", "-o", "m.rimg"]).fails("gone.rimg");
    place
        .run(&["merge", "i.rimg", "captures.jsonl", "-o", "m.rimg"])
        .fails("captures.jsonl: holds captures, not an image");
    place.run(&["merge", "i.rimg", "-o", "nowhere/m.rimg"]).fails("cannot write nowhere/m.rimg");
    place.run(&["merge", "i.rimg", "-o", "m.rimg", "--shards", "0"]).fails("--shards");
    assert!(!place.path("m.rimg").exists());
    let left: Vec<_> =
        std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn a_directory_of_shards_is_an_image() {
    let place = two_images();
    place.run(&["compile", "captures.jsonl", "more.jsonl", "-o", "all.shards", "--shards", "3"]).ok();
    place.run(&["merge", "all.rimg", "-o", "again.shards", "--shards", "3"]).ok();
    for file in ["000-of-003.rimg", "001-of-003.rimg", "002-of-003.rimg"] {
        let read = |directory: &str| std::fs::read(place.path(directory).join(file)).unwrap();
        assert_eq!(read("all.shards"), read("again.shards"));
    }
    place.write(
        "urls",
        "https://a.example/private/x\nhttps://c.example/c\nhttps://down.example/\nhttps://no.example/\nhttps://b.example/ok\n",
    );
    let urls = std::fs::read(place.path("urls")).unwrap();
    for command in [
        &["query", "IMAGE", "--agent", "GPTBot"][..],
        &["query", "IMAGE", "--agent", "a", "--json"],
        &["filter", "IMAGE", "--agent", "a"],
        &["visit", "IMAGE", "--agent", "a", "https://a.example/"],
        &["explain", "IMAGE", "--agent", "a", "https://a.example/private/x"],
        &["inspect", "IMAGE", "--site", "https://b.example"],
    ] {
        let on = |image: &'static str| {
            let command: Vec<&str> =
                command.iter().map(|&word| if word == "IMAGE" { image } else { word }).collect();
            place.run_with(&command, &urls).out
        };
        assert!(!on("all.rimg").is_empty(), "{command:?}");
        assert_eq!(on("all.shards"), on("all.rimg"), "{command:?}");
    }
    assert!(place.run(&["verify", "all.shards"]).ok().contains("7 sites"));
    assert!(
        place.run(&["bench", "all.shards", "--queries", "urls", "--agent", "a", "--rounds", "7"]).code == 0
    );
    assert_eq!(place.run(&["dump", "image", "all.shards"]).ok().matches(" of 0 to 2").count(), 3);
    let counts = |image| place.run(&["inspect", image, "--json"]).json()[0]["outcomes"].clone();
    assert_eq!(counts("all.shards"), counts("all.rimg"));
}

#[test]
fn a_directory_of_shards_is_replaced_whole() {
    let place = two_images();
    place.run(&["merge", "all.rimg", "-o", "d", "--shards", "3"]).ok();
    place.run(&["merge", "i.rimg", "-o", "d", "--shards", "2"]).ok();
    assert!(place.run(&["verify", "d"]).ok().contains("6 sites"));
    std::fs::remove_file(place.path("d/001-of-002.rimg")).unwrap();
    place.run(&["verify", "d"]).fails("d: holds 1 files, which are not the 2 shards of one image");
    place.write("d/notes.txt", "mine");
    place
        .run(&["merge", "i.rimg", "-o", "d", "--shards", "2"])
        .fails("d: holds notes.txt, which is no shard");
    place.run(&["merge", "i.rimg", "-o", "i.rimg", "--shards", "2"]).fails("cannot write i.rimg");
    place.run(&["compile", "captures.jsonl", "-o", "d"]).fails("is a directory; the output names the image");
    assert!(place.path("d/notes.txt").exists());
}
