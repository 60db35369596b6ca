package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.ResultJson;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the files of a result. All commands that measure have them. */
final class ResultFiles {
  @Option(names = "--json", paramLabel = "FILE", description = "where to write the result (default: DIR/result.json)")
  private @Nullable Path json;

  @Option(names = "--out", paramLabel = "DIR", defaultValue = "decant-result",
      description = "directory for result.json, report.html and logs (default: decant-result)")
  private Path out = Path.of("");

  /** Returns the directory for the logs of the JVMs. */
  Path logs() {
    return out.resolve("logs");
  }

  /** Writes the result and its page; returns both paths in one line. */
  String write(ObjectNode result, String page) throws IOException {
    Path file = json == null ? out.resolve("result.json") : json;
    Path report = out.resolve("report.html");
    write(file, ResultJson.text(result));
    write(report, page);
    return file + ", " + report;
  }

  /** Deletes empty logs of JVMs, and their directory if nothing else is in it. */
  void removeEmpty() throws IOException {
    if (Files.isDirectory(logs())) {
      try (Stream<Path> files = Files.list(logs())) {
        for (Path file : files.toList()) {
          if (Files.size(file) == 0) {
            Files.delete(file);
          }
        }
      }
      if (removeIfEmpty(logs())) {
        var unused = removeIfEmpty(out);
      }
    }
  }

  private static boolean removeIfEmpty(Path directory) throws IOException {
    try {
      Files.delete(directory);
      return true;
    } catch (DirectoryNotEmptyException e) {
      return false;
    }
  }

  private static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
