package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.report.ResultJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command leaves its result: the options of all that measure. */
final class ResultFiles {
  @Option(names = "--json", paramLabel = "FILE", description = "where to write the result (default: DIR/result.json)")
  private @Nullable Path json;

  @Option(names = "--out", paramLabel = "DIR", defaultValue = "decant-result",
      description = "directory for result.json, report.html and logs (default: decant-result)")
  private Path out = Path.of("");

  /** Where the JVMs' logs go. */
  Path logs() {
    return out.resolve("logs");
  }

  /** Writes the result and its page, and answers with a line that says where they are. */
  String write(ObjectNode result, String page) throws IOException {
    Path file = json == null ? out.resolve("result.json") : json;
    Path report = out.resolve("report.html");
    write(file, ResultJson.text(result));
    write(report, page);
    return "written: " + file + ", " + report;
  }

  private static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
