package dev.decant.carriers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CarrierFinderTest {
  private static final ThreadGroup CARRIERS = new ThreadGroup("CarrierThreads");
  private static final ThreadGroup APPLICATION = new ThreadGroup("main");

  @TempDir
  private Path tasks = Path.of("");
  private final List<Thread> threads = new ArrayList<>();

  private CarrierFinder finder() {
    return new CarrierFinder(tasks, () -> threads);
  }

  private void task(int id, String comm) throws IOException {
    Files.createDirectory(tasks.resolve(Integer.toString(id)));
    Files.writeString(tasks.resolve(Integer.toString(id)).resolve("comm"), comm + "\n");
  }

  private void thread(ThreadGroup group, String name) {
    threads.add(new Thread(group, () -> {}, name));
  }

  @Test
  void theSchedulerIsNotTheFirstPoolWhereTheApplicationWasFaster() throws IOException {
    thread(APPLICATION, "ForkJoinPool-1-worker-1");
    thread(APPLICATION, "ForkJoinPool.commonPool-worker-1");
    thread(CARRIERS, "ForkJoinPool-2-worker-1");
    thread(CARRIERS, "ForkJoinPool-2-worker-2");
    task(101, "ForkJoinPool-1-");
    task(102, "ForkJoinPool.co");
    task(103, "ForkJoinPool-2-");
    task(104, "ForkJoinPool-2-");
    task(105, "GC Thread#0");

    assertThat(finder().find()).containsOnlyKeys(103, 104).containsValue("ForkJoinPool-2-");
  }

  @Test
  void nothingIsFoundRatherThanTheThreadOfAPoolWhoseNumberBeginsAlike() throws IOException {
    thread(CARRIERS, "ForkJoinPool-10-worker-1");
    thread(APPLICATION, "ForkJoinPool-107-worker-1");
    task(101, "ForkJoinPool-10");
    task(102, "ForkJoinPool-10");

    assertThatThrownBy(() -> finder().find()).isInstanceOf(IOException.class)
        .hasMessageContaining("\"ForkJoinPool-107-worker-1\"");
  }

  @Test
  void nothingIsFoundWhereAThreadOutsideJavaHasTheSameName() throws IOException {
    thread(CARRIERS, "ForkJoinPool-1-worker-1");
    task(101, "ForkJoinPool-1-");
    task(102, "ForkJoinPool-1-");

    assertThatThrownBy(() -> finder().find()).isInstanceOf(IOException.class)
        .hasMessage("there are 1 carrier threads, but 2 threads of the system are named like them");
  }

  @Test
  void beforeTheFirstVirtualThreadThereIsNone() throws IOException {
    thread(APPLICATION, "main");
    task(100, "java");

    assertThat(finder().find()).isEmpty();
  }

  @Test
  void aLongNameIsKnownByItsBeginningOrByBothEnds() {
    assertThat(CarrierFinder.matches("ForkJoinPool-1-", "ForkJoinPool-1-worker-1")).isTrue();
    assertThat(CarrierFinder.matches("ForkJoi..rker-1", "ForkJoinPool-1-worker-1")).isTrue();
    assertThat(CarrierFinder.matches("ForkJoinPool-2-", "ForkJoinPool-1-worker-1")).isFalse();
    assertThat(CarrierFinder.matches("main", "main")).isTrue();
    assertThat(CarrierFinder.matches("main", "mainly")).isFalse();
  }
}
