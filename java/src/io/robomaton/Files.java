package io.robomaton;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Maps the files of an image: one, the shards of a directory, or the layers that a manifest names (SPEC.md
 * section 4).
 */
final class Files {
    private static final String MANIFEST = "layers.manifest";
    private static final String HEAD = "robomaton layers 1\ngeneration ";
    private static final String END = "\nend\n";
    private static final int MOST_BYTES = 64 << 10;
    private static final int MOST_LAYERS = 64;
    /** Attempts to open a stack whose layers are replaced meanwhile. */
    private static final int ATTEMPTS = 16;
    /** Sections that are equal in all shards: crawlers, crawler-names, usages, meta. */
    private static final int[] ALIKE = {7, 8, 9, 15};

    private Files() {}

    /** The shards of each layer, newest first. */
    static Shard[][] open(Path path) throws IOException {
        if (!java.nio.file.Files.isRegularFile(path.resolve(MANIFEST))) {
            return new Shard[][] {openImage(path)};
        }
        String manifest = manifest(path);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return layers(path, names(path, manifest));
            } catch (NoSuchFileException gone) {
                // The layer was replaced after the manifest was read, if there is another one now.
                String newer = manifest(path);
                if (newer.equals(manifest)) {
                    throw gone;
                }
                manifest = newer;
            }
        }
        throw new IOException(path + ": its layers are replaced faster than they can be opened");
    }

    private static String manifest(Path path) throws IOException {
        try (InputStream in = java.nio.file.Files.newInputStream(path.resolve(MANIFEST))) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        }
    }

    /** The names of the layers, oldest first: plain names of files, so none leads out of the directory. */
    private static List<String> names(Path path, String manifest) {
        String layers = manifest.startsWith(HEAD) && manifest.endsWith(END)
                ? manifest.substring(HEAD.length(), manifest.length() - END.length())
                : "";
        List<String> names = new ArrayList<>();
        for (String line : layers.split("\n", -1)) {
            boolean isLayer = line.matches("layer [A-Za-z0-9_-][A-Za-z0-9_.-]*");
            if (names.isEmpty() ? !line.matches("[0-9]{1,20}") : !isLayer) {
                throw new RobomatonException(
                        path.resolve(MANIFEST) + " is damaged, or of a newer version of robomaton");
            }
            names.add(line);
        }
        names.remove(0);
        if (names.isEmpty() || names.size() > MOST_LAYERS) {
            throw new RobomatonException(path + " is a stack of " + names.size() + " layers");
        }
        names.replaceAll(line -> line.substring("layer ".length()));
        return names;
    }

    private static Shard[][] layers(Path path, List<String> names) throws IOException {
        Shard[][] layers = new Shard[names.size()][];
        Meta first = null;
        for (int layer = 0; layer < layers.length; layer++) {
            Path file = path.resolve(names.get(layer));
            Shard[] shards = openImage(file);
            layers[layers.length - 1 - layer] = shards;
            Meta meta;
            try {
                meta = shards[0].meta();
            } catch (Damage | IndexOutOfBoundsException damage) {
                throw new RobomatonException(file + " is damaged");
            }
            first = first == null ? meta : first;
            Shard[] oldest = layers[layers.length - 1];
            boolean alike = shards[0].layout.profile == oldest[0].layout.profile
                    && meta.crawlers().equals(first.crawlers())
                    && meta.limits().equals(first.limits())
                    && meta.vocabulary().equals(first.vocabulary());
            if (!alike) {
                throw new RobomatonException(file + " was compiled with other options than the first layer");
            }
        }
        return layers;
    }

    private static Shard[] openImage(Path path) throws IOException {
        if (!java.nio.file.Files.isDirectory(path)) {
            return new Shard[] {map(path)};
        }
        if (java.nio.file.Files.isRegularFile(path.resolve(MANIFEST))) {
            throw new RobomatonException(path + " is a stack of layers, which is no layer of another one");
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
