package dev.decant.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Threads that read keys again at the same time. */
@Timeout(60)
@EnabledOnOs(value = OS.LINUX, disabledReason = "a named pipe stands for a file system that hangs")
class ReloadingThreadsTest {
  @TempDir
  private Path directory = Path.of("");

  /** A pipe under the name of the file: its reader waits for a writer. */
  private Path pipe(Path file) throws IOException, InterruptedException {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Files.delete(file);
    Files.createLink(file, pipe);
    return pipe;
  }

  /** On Java 21 a virtual thread that waited for another one's read kept its carrier: no other virtual thread ran. */
  @Test
  void virtualThreadsThatWaitForOneThatReadsLeaveTheCarriersToOthers() throws Exception {
    Path file = Files.writeString(directory.resolve("trust.pem"),
        TestCertificate.pem("CERTIFICATE", TestCertificate.SERVER.certificate().getEncoded()));
    TlsContext context = TlsContext.load(TlsSettings.builder().trust(TrustSource.pem(file)).build());
    CountDownLatch refused = new CountDownLatch(1);
    context.addListener(new TlsListener() {
      @Override
      public void onKeysRefused(IOException cause) {
        refused.countDown();
      }
    });
    Path pipe = pipe(file);
    List<Thread> threads = new ArrayList<>();
    try {
      threads.add(Thread.ofPlatform().start(context::reload));
      for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
        threads.add(Thread.startVirtualThread(context::reload));
      }
      CountDownLatch ran = new CountDownLatch(1);
      threads.add(Thread.startVirtualThread(ran::countDown));

      assertThat(ran.await(20, TimeUnit.SECONDS)).as("another virtual thread runs").isTrue();
    } finally {
      // A writer lets the reader in, and its close is the end of the file. No writer opens the pipe after that.
      try (FileChannel end = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        Files.delete(file);
        assertThat(end.isOpen()).isTrue();
      }
      for (Thread thread : threads) {
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
      }
    }
    assertThat(refused.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
