package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ParentDeathTest {
  @Test
  void aBrokerEndsWhenItsParentIsKilled() throws IOException, InterruptedException {
    Process parent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), Parent.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader out = parent.inputReader()) {
      ProcessHandle broker = ProcessHandle.of(Long.parseLong(out.readLine())).orElseThrow();
      CompletableFuture<ProcessHandle> ended = broker.onExit();

      parent.destroyForcibly().waitFor();

      assertThat(ended).succeedsWithin(java.time.Duration.ofSeconds(20));
    } finally {
      parent.destroyForcibly();
    }
  }

  /** Starts a cluster, prints the broker's process id, and never ends by itself. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] arguments) throws InterruptedException {
      KafkaCluster cluster = KafkaCluster.start();
      System.out.println(cluster.node(1).pid());
      Thread.currentThread().join();
    }
  }
}
