package dev.decant.engines;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * What a run has cost, from a tenth of its records to all of them.
 *
 * @param recordsPerSecond that were through
 * @param cpuMicros of the engine's process for each of them
 */
record Figures(double recordsPerSecond, double cpuMicros) {
  private static final Path FILE = Path.of("target/engines.tsv");

  /** Adds a line to {@code target/engines.tsv}. */
  void write(String engine, Clients clients, long records) throws IOException {
    String line = String.format(Locale.ROOT, "%s\t%s\t%d\t%.0f\t%.2f%n", engine,
        clients.name().toLowerCase(Locale.ROOT), records, recordsPerSecond, cpuMicros);
    Files.createDirectories(FILE.getParent());
    Files.writeString(FILE, line, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
