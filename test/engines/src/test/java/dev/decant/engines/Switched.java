package dev.decant.engines;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The agent's report of an engine that has ended. */
final class Switched {
  private Switched() {}

  /** Checks that the agent has switched a class, or that there was no agent. */
  static void check(Path directory, Clients clients, String className) throws IOException {
    Path report = directory.resolve("switched");
    assertThat(Files.exists(report)).isEqualTo(clients == Clients.AGENT);
    if (clients == Clients.AGENT) {
      assertThat(Files.readString(report, StandardCharsets.UTF_8)).contains(className);
    }
  }
}
