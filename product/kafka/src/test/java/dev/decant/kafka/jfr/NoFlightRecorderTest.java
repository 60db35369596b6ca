package dev.decant.kafka.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Java runtime without the module jdk.jfr, as jlink makes it. */
@Timeout(60)
class NoFlightRecorderTest {
  /** Runs in a JVM of its own. */
  static final class Application {
    private Application() {}

    @SuppressWarnings("SystemOut") // read by the test
    public static void main(String[] args) {
      try (KafkaClient client = KafkaClient.builder("localhost:9").runtimeCheck(false).build()) {
        System.out.println("the client is " + (client.status().isLive() ? "live" : "not live"));
        JfrEvents.watch(client);
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void theClientRunsAndWatchingSaysWhatIsMissing() throws IOException, InterruptedException {
    Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--limit-modules", "java.base", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
        Application.class.getName())
        .redirectErrorStream(true).start();
    try {
      String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(jvm.waitFor()).isZero();
      assertThat(output.lines()).containsExactly("the client is live",
          "this Java runtime was started without the module jdk.jfr; "
              + "add --add-modules jdk.jfr to its command line, or to jlink if it has none");
    } finally {
      jvm.destroyForcibly();
    }
  }
}
