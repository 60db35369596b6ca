package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests Ctrl-C in the middle of a run with real clients on a real broker. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@EnabledOnOs({OS.LINUX, OS.MAC})
class InterruptionTest {
  private static final String MANY_SAMPLES = """
      title = A few records, each waited for
      clients = decant
      work = send-and-wait
      partitions = 1
      producer.linger.ms = 0
      records = 20
      warm-up = 4
      bar = records_per_s >= 1
      """;

  @TempDir
  private Path directory = Path.of("");

  @Test
  void whatWasMeasuredIsWrittenAndNothingStaysBehind() throws Exception {
    Path scenario = Files.writeString(directory.resolve("many.scenario"), MANY_SAMPLES);
    Path out = directory.resolve("result");
    try (CommandInAJvm command = new CommandInAJvm(directory, "stress", "--scenario-file", scenario.toString(),
        "--rounds", "500", "--live", "--out", out.toString())) {
      String address = command.await("live: ").substring("live: ".length());
      CompletableFuture<String> events = CompletableFuture.supplyAsync(() -> events(address));
      command.await("records/s");
      List<ProcessHandle> children = command.children();
      assertThat(children).as("a broker at least").isNotEmpty();

      assertThat(command.interrupt()).as(command.outputSoFar()).isEqualTo(Decant.INTERRUPTED);

      assertThat(children).noneMatch(ProcessHandle::isAlive);
      assertThat(command.leftBehind()).isEmpty();
      assertThat(command.outputSoFar()).contains("interrupted: ending").doesNotContain("failed", "Exception");
      JsonNode root = new ObjectMapper().readTree(out.resolve("result.json").toFile());
      int samples = root.get("scenarios").get(0).get("samples").size();
      String ending = "interrupted after " + samples + " of 1000 samples";
      assertThat(samples).isPositive();
      assertThat(root.get("interrupted").asText()).isEqualTo(ending);
      assertThat(out.resolve("report.html")).content().contains(ending);
      String kept = ending + ", which are kept: " + out.resolve("result.json") + ", " + out.resolve("report.html");
      assertThat(command.printed()).contains("many: A few records", "\n" + kept + "\n")
          .doesNotContain("failed", "written: ");
      assertThat(command.outputSoFar()).as("the topics end with the broker").doesNotContain("decant-stress-");
      assertThat(events.get(60, TimeUnit.SECONDS)).contains("event: plan", "event: sample", "event: end", ending);
    }
  }

  @Test
  void aRunThatHasMeasuredNothingSaysSoAndLeavesAnEarlierResultAlone() throws Exception {
    Path out = Files.createDirectory(directory.resolve("result"));
    Path earlier = Files.writeString(out.resolve("result.json"), "of an earlier run");
    try (CommandInAJvm command = new CommandInAJvm(directory, "stress", "--quick", "--out", out.toString())) {
      command.await("starting 1 embedded broker");
      List<ProcessHandle> children = command.children();

      assertThat(command.interrupt()).as(command.outputSoFar()).isEqualTo(Decant.INTERRUPTED);

      assertThat(children).noneMatch(ProcessHandle::isAlive);
      assertThat(command.leftBehind()).isEmpty();
      assertThat(command.printed()).isEqualTo("\ninterrupted before a sample was taken; nothing was kept\n");
      assertThat(earlier).hasContent("of an earlier run");
      assertThat(out.resolve("report.html")).doesNotExist();
      assertThat(out.resolve("logs")).doesNotExist();
    }
  }

  @Test
  void brokersThatAreStartingLeaveNothingBehind() throws Exception {
    try (CommandInAJvm command = new CommandInAJvm(directory, "broker")) {
      List<ProcessHandle> children;
      do {
        children = command.children(); // lists all processes, so this is no busy wait
      } while (children.isEmpty() && command.isAlive());

      command.interrupt();

      assertThat(children).isNotEmpty().noneMatch(ProcessHandle::isAlive);
      assertThat(command.leftBehind()).isEmpty();
      assertThat(command.outputSoFar()).doesNotContain("decant: ", "Exception");
    }
  }

  /** Returns the whole stream of the live page, which the server ends. */
  private static String events(String address) {
    URI uri = URI.create(address);
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      socket.getOutputStream()
          .write("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).lines()
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      return "no events: " + e;
    }
  }
}
