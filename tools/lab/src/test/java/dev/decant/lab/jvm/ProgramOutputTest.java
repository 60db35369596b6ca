package dev.decant.lab.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ProgramOutputTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir
  Path directory;

  private static List<String> shell(String script) {
    return List.of("/bin/sh", "-c", script);
  }

  @Test
  void bothStreamsAreReadInTheOrderOfTheirLines() throws Exception {
    assertThat(ProgramOutput.of(shell("echo one; echo two >&2; exit 3"), PATIENCE))
        .isEqualTo(new ProgramOutput(3, List.of("one", "two")));
  }

  @Test
  void programThatIsNotThereIsTold() {
    assertThatThrownBy(() -> ProgramOutput.of(List.of(directory.resolve("nothing").toString()), PATIENCE))
        .isInstanceOf(IOException.class);
  }

  @Test
  void whatTheProgramHasStartedEndsWithTheWait() throws Exception {
    Path number = directory.resolve("number");
    String script = "sleep 100 & echo $! > " + directory.resolve("new") + "; mv " + directory.resolve("new") + " "
        + number + "; wait";
    FutureTask<ProgramOutput> run = new FutureTask<>(() -> ProgramOutput.of(shell(script), PATIENCE));
    Thread thread;
    try (WatchService watch = directory.getFileSystem().newWatchService()) {
      directory.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      thread = Thread.ofPlatform().daemon().start(run);
      while (!Files.exists(number)) {
        var key = watch.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(key).as("the program has started another one").isNotNull();
        key.reset();
      }
    }
    CompletableFuture<?> ended = ProcessHandle.of(Long.parseLong(Files.readString(number).strip())).orElseThrow()
        .onExit();

    thread.interrupt();

    ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThatThrownBy(run::get).hasCauseInstanceOf(InterruptedException.class);
  }
}
