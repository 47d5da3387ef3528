package io.robomaton;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Maps the files of an image: one, or the shards of a directory (SPEC.md section 4). */
final class Files {
    private static final String LAYERS = "layers.manifest";
    /** Sections that are equal in all shards: crawlers, crawler-names, usages, meta. */
    private static final int[] ALIKE = {7, 8, 9, 15};

    private Files() {}

    static Shard[] open(Path path) throws IOException {
        if (!java.nio.file.Files.isDirectory(path)) {
            return new Shard[] {map(path)};
        }
        if (java.nio.file.Files.exists(path.resolve(LAYERS))) {
            throw new UnsupportedException(path + " is a stack of layers; `robomaton merge` makes one image of it");
        }
        List<Shard> shards = new ArrayList<>();
        try (DirectoryStream<Path> files = java.nio.file.Files.newDirectoryStream(path, "*.rimg")) {
            for (Path file : files) {
                shards.add(map(file));
            }
        }
        return join(shards.toArray(new Shard[0]), path);
    }

    private static Shard[] join(Shard[] shards, Path path) {
        Arrays.sort(shards, Comparator.comparingInt(shard -> shard.layout.shard));
        if (shards.length == 0) {
            throw new RobomatonException(path + " holds no file *.rimg");
        }
        for (int number = 0; number < shards.length; number++) {
            Layout layout = shards[number].layout;
            if (layout.lastShard + 1 != shards.length || layout.shard != number) {
                throw new RobomatonException(path + " holds " + shards.length + " files, which are not the "
                        + (layout.lastShard + 1) + " shards of one image, each once");
            }
            boolean alike = layout.profile == shards[0].layout.profile;
            for (int section : ALIKE) {
                alike &= layout.checksum[section] == shards[0].layout.checksum[section];
            }
            if (!alike) {
                throw new RobomatonException(path + " holds shards that were not made together");
            }
        }
        return shards;
    }

    private static Shard map(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Section.Source source = (from, length) -> {
                try {
                    return channel.map(FileChannel.MapMode.READ_ONLY, from, length);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            };
            return new Shard(source, channel.size());
        } catch (UncheckedIOException error) {
            throw error.getCause();
        }
    }
}
