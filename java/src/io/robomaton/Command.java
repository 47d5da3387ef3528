package io.robomaton;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Runs a command: what goes wrong with its arguments and files is one line on standard error. */
final class Command {
    static final int OK = 0;
    /** The exit code of a failure, as that of the command {@code robomaton}. */
    static final int FAILED = 2;

    private Command() {}

    /** What a command does. It returns the exit code. */
    interface Body {
        int run() throws IOException;
    }

    static void run(Body body) {
        int code;
        try {
            code = body.run();
        } catch (NoSuchFileException error) {
            code = failed(error.getFile() + ": no such file or directory");
        } catch (AccessDeniedException error) {
            code = failed(error.getFile() + ": permission denied");
        } catch (IOException | RobomatonException | IllegalArgumentException error) {
            code = failed(error.getMessage());
        }
        System.exit(code);
    }

    /** Says what failed; the exit code. */
    static int failed(String what) {
        System.err.println(what);
        return FAILED;
    }
}
