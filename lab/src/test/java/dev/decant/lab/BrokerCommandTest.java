package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.ExternalCluster;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** A real broker that somebody starts for himself. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BrokerCommandTest {
  private static final Duration REACH = Duration.ofSeconds(30);

  /** Completes with the first line. */
  private static final class FirstLine extends StringWriter {
    private final CompletableFuture<String> line = new CompletableFuture<>();

    @Override
    public void flush() {
      toString().lines().findFirst().ifPresent(line::complete);
    }
  }

  @Test
  void aClusterServesUntilStandardInputCloses() throws Exception {
    InputStream stdin = System.in;
    try {
      assertThat(codeAfterUse().get(60, TimeUnit.SECONDS)).isZero();
    } finally {
      System.setIn(stdin);
    }
  }

  /** When this returns, standard input has been closed. */
  private static CompletableFuture<Integer> codeAfterUse() throws Exception {
    FirstLine out = new FirstLine();
    try (PipedOutputStream keyboard = new PipedOutputStream()) {
      System.setIn(new PipedInputStream(keyboard));
      CommandLine command = Decant.commandLine();
      command.setOut(new PrintWriter(out, false));
      command.setErr(new PrintWriter(new StringWriter()));
      CompletableFuture<Integer> code = CompletableFuture
          .supplyAsync(() -> command.execute("broker", "--topic", "orders=3", "--setting", "num.io.threads=2"));

      String bootstrap = out.line.get(200, TimeUnit.SECONDS);
      assertThat(endOffsets(bootstrap)).containsExactly(0, 0, 0);
      assertThat(code).isNotDone();
      return code;
    }
  }

  private static long[] endOffsets(String bootstrap) throws IOException {
    try (TestCluster cluster = ExternalCluster.connect(bootstrap, REACH)) {
      return cluster.endOffsets("orders");
    }
  }
}
