package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecordTaskTest {

  private static RecordTask task(WorkSpec.Handlers handlers, int hotPercent) {
    WorkSpec.Load load = new WorkSpec.Load(100, "random", 1, false, 0, 1, 0, new WorkSpec.Keys(10, hotPercent),
        handlers);
    return RecordTask.of(new WorkSpec(WorkSpec.DECANT, WorkKind.named("work-key"), WorkSpec.Access.plain(""),
        WorkSpec.Topics.one(1), load, new WorkSpec.Amount(1, 100, 0, 200), Map.of(), Map.of()));
  }

  private static Map<String, Double> figures(RecordTask task) {
    Map<String, Double> figures = new HashMap<>();
    task.figures(figures);
    return figures;
  }

  @Test
  void aHandlerThatTakesNoTimeOnlyCounts() {
    RecordTask task = task(new WorkSpec.Handlers("key", 0, 0, 0), 0);

    task.handle(1, 5, 0);
    task.handle(1, 4, 0);

    assertThat(task.handled()).isEqualTo(2);
    assertThat(figures(task)).isEmpty();
    assertThat(task.latency().getTotalCount()).isZero();
  }

  @Test
  void aRecordBehindALaterOneOfItsKeyIsMisordered() {
    RecordTask task = task(new WorkSpec.Handlers("key", 1, 0, 0), 0);

    task.handle(1, 5, 0);
    task.handle(2, 4, 0);
    assertThat(figures(task)).isEqualTo(Map.of("misordered_records", 0.0));

    task.handle(1, 4, 0);
    task.handle(2, 4, 0);
    assertThat(figures(task)).isEqualTo(Map.of("misordered_records", 2.0));
    assertThat(task.handled()).isEqualTo(4);
  }

  @Test
  void someRecordsFailTwiceBeforeTheySucceed() {
    RecordTask task = task(new WorkSpec.Handlers("key", 1, 2, 0), 0);

    for (int number : new int[] {0, 1, 100, 101}) {
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(() -> task.handle(1, number, 0)).isInstanceOf(RecordTask.TaskFailure.class)
            .hasMessageContaining("fails");
      }
      task.handle(1, number, 0);
    }
    task.handle(1, 102, 0);

    assertThat(task.handled()).isEqualTo(5);
    assertThat(figures(task)).isEqualTo(Map.of("misordered_records", 0.0, "failed_attempts", 8.0));
    task.begin();
    assertThat(figures(task)).containsEntry("failed_attempts", 0.0);
  }

  @Test
  void anInterruptedHandlerFailsAndItsThreadStaysInterrupted() {
    RecordTask task = task(new WorkSpec.Handlers("key", 1, 0, 0), 0);
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> task.handle(1, 1, 0)).isInstanceOf(IllegalStateException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(task.handled()).isZero();
  }

  @Test
  void aHeldTaskBeginsNothingUntilItIsReleased() throws Exception {
    RecordTask task = task(new WorkSpec.Handlers("key", 0, 0, 0), 0);
    task.hold();
    Thread handler = Thread.ofPlatform().start(() -> task.handle(1, 1, 0));
    while (handler.getState() != Thread.State.WAITING) {
      assertThat(handler.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    assertThat(task.handled()).isZero();

    task.release();

    assertThat(handler.join(Duration.ofSeconds(30))).isTrue();
    assertThat(task.handled()).isEqualTo(1);
  }

  @Test
  void theHotKeyHasALatencyOfItsOwn() {
    RecordTask task = task(new WorkSpec.Handlers("key", 0, 0, 0), 20);

    task.handle(0, 0, System.nanoTime() - 5_000_000);
    task.handle(1, 1, System.nanoTime());

    assertThat(task.latency().getTotalCount()).isEqualTo(1);
    assertThat(figures(task).get("hot_key_p50_us")).isGreaterThanOrEqualTo(4_990);
    task.begin();
    assertThat(task.latency().getTotalCount()).isZero();
  }
}
