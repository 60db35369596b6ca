package dev.decant.carriers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CarrierPriorityTest {
  private static final String NAME = "ForkJoinPool-1-";

  @TempDir
  private Path tasks = Path.of("");
  private final Fake system = new Fake();

  private CarrierPriority with(int... carriers) throws IOException {
    ThreadGroup group = new ThreadGroup("CarrierThreads");
    Thread[] threads = new Thread[carriers.length];
    for (int i = 0; i < carriers.length; i++) {
      threads[i] = new Thread(group, () -> {}, "ForkJoinPool-1-worker-" + i);
      start(carriers[i], 0);
    }
    CarrierFinder finder = new CarrierFinder(tasks, () -> List.of(threads).subList(0, system.nice.size()));
    return new CarrierPriority(finder, system, "");
  }

  private void start(int id, int nice) throws IOException {
    Files.createDirectories(tasks.resolve(Integer.toString(id)));
    Files.writeString(tasks.resolve(Integer.toString(id)).resolve("comm"), NAME + "\n");
    system.nice.put(id, nice);
  }

  private void end(int id) throws IOException {
    Files.delete(tasks.resolve(Integer.toString(id)).resolve("comm"));
    system.nice.remove(id);
  }

  @Test
  void carriersAreLoweredAndRestored() throws IOException {
    CarrierPriority priority = with(7, 8);
    system.nice.put(8, 3);

    assertThat(priority.lower(5).carriers()).containsExactlyInAnyOrder(new CarrierThread(7, NAME, 0, 5, ""),
        new CarrierThread(8, NAME, 3, 5, ""));
    assertThat(priority.lower(19).isComplete()).isTrue();
    assertThat(priority.restore().carriers()).containsExactlyInAnyOrder(new CarrierThread(7, NAME, 19, 0, ""),
        new CarrierThread(8, NAME, 19, 3, ""));
  }

  @Test
  void lowerNeverRaises() throws IOException {
    CarrierPriority priority = with(7);
    system.nice.put(7, 12);

    assertThat(priority.lower(5).carriers()).containsExactly(new CarrierThread(7, NAME, 12, 12, ""));
    assertThat(priority.restore().carriers()).containsExactly(new CarrierThread(7, NAME, 12, 12, ""));
  }

  @Test
  void aCarrierThatBeganLowBecauseALoweredOneStartedItIsRestoredToo() throws IOException {
    CarrierPriority priority = with(7, 8);
    end(8);
    priority.lower(19);
    end(7);
    start(9, 19);

    assertThat(priority.restore().carriers()).containsExactly(new CarrierThread(9, NAME, 19, 0, ""));
  }

  @Test
  void aCarrierThatTheSystemDoesNotLetRiseIsReportedAndTriedAgain() throws IOException {
    CarrierPriority priority = with(7, 8);
    priority.lower(5);
    system.forbidden = true;

    PriorityReport refused = priority.restore();

    assertThat(refused.isSupported()).isTrue();
    assertThat(refused.isComplete()).isFalse();
    assertThat(refused.carriers()).allSatisfy(carrier -> {
      assertThat(carrier.nice()).isEqualTo(5);
      assertThat(carrier.problem()).isEqualTo("not permitted");
    });
    system.forbidden = false;
    assertThat(priority.restore().isComplete()).isTrue();
    assertThat(system.nice).containsEntry(7, 0).containsEntry(8, 0);
  }

  @Test
  void aPriorityThatReadsBackOtherwiseIsReported() throws IOException {
    CarrierPriority priority = with(7);
    system.deaf = true;

    assertThat(priority.lower(5).carriers())
        .containsExactly(new CarrierThread(7, NAME, 0, 0, "it reads back as nice 0"));
  }

  @Test
  void withoutACarrierNothingIsComplete() throws IOException {
    PriorityReport report = with().lower(5);

    assertThat(report.isSupported()).isTrue();
    assertThat(report.isComplete()).isFalse();
    assertThat(report.carriers()).isEmpty();
  }

  @Test
  void carriersThatCannotBeToldApartAreLeftAlone() throws IOException {
    CarrierPriority priority = with(7, 8);
    Files.createDirectory(tasks.resolve("9"));
    Files.writeString(tasks.resolve("9").resolve("comm"), NAME + "\n");

    PriorityReport report = priority.lower(5);

    assertThat(report.obstacle()).startsWith("the carrier threads cannot be told from others: there are 2");
    assertThat(system.nice).containsEntry(7, 0).containsEntry(8, 0);
  }

  @Test
  void elsewhereThanOnLinuxItSaysSo() {
    PriorityReport report = CarrierPriority.of("Mac OS X", true, "ALL-UNNAMED", () -> system).lower(5);

    assertThat(report.isSupported()).isFalse();
    assertThat(report.obstacle()).isEqualTo("not supported on Mac OS X: a priority per thread is there on Linux only");
    assertThat(report.carriers()).isEmpty();
  }

  @Test
  void withoutNativeAccessItSaysWhatToDoAndBindsNothing() {
    CarrierPriority priority = CarrierPriority.of("Linux", false, "dev.decant.carriers", () -> {
      throw new AssertionError("bound");
    });

    assertThat(priority.lower(5).obstacle()).endsWith("--enable-native-access=dev.decant.carriers");
    assertThat(priority.restore().isSupported()).isFalse();
  }

  @Test
  void aCLibraryWithoutTheFunctionIsNoExceptionFromDeepInside() {
    CarrierPriority priority = CarrierPriority.of("Linux", true, "ALL-UNNAMED", () -> {
      throw new java.util.NoSuchElementException("Symbol not found: setpriority");
    });

    assertThat(priority.lower(5).obstacle()).contains("not supported", "setpriority");
  }

  @Test
  void aNiceValueThatIsNoneIsMisuse() throws IOException {
    CarrierPriority priority = with(7);

    assertThatThrownBy(() -> priority.lower(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> priority.lower(20)).hasMessage("nice must be 1 to 19, not 20");
  }

  /** Nice values in a map. */
  private static final class Fake implements ThreadPriorities {
    final Map<Integer, Integer> nice = new HashMap<>();
    boolean forbidden;
    boolean deaf;

    @Override
    public int nice(int threadId) throws IOException {
      Integer value = nice.get(threadId);
      if (value == null) {
        throw new IOException("it has ended");
      }
      return value;
    }

    @Override
    public void setNice(int threadId, int value) throws IOException {
      if (forbidden && value < nice(threadId)) {
        throw new IOException("not permitted");
      }
      if (!deaf) {
        nice.put(threadId, value);
      }
    }
  }
}
