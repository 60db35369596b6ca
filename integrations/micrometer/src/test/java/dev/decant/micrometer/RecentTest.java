package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.ClientStatus;
import dev.decant.time.Clock;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecentTest {
  private long now = Long.MAX_VALUE - 10; // the clock may overflow at any time
  private int asked;
  private long asking;

  private final Clock clock = new Clock() {
    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public long epochMillis() {
      throw new AssertionError("nobody needs the time of day");
    }
  };
  private final Recent<ClientStatus> recent = new Recent<>(() -> {
    now += asking;
    asked++;
    return new ClientStatus(true, true, List.of(), null, asked, 100, List.of(), List.of(), List.of(),
        OptionalLong.empty());
  }, clock);

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void theClientIsAskedOnceASecondHoweverManyGaugesAreRead() {
    assertThat(recent.get()).isSameAs(recent.get());
    pass(999);
    assertThat(recent.get().fetchMemoryInUse()).isEqualTo(1);
    pass(1);
    assertThat(recent.get().fetchMemoryInUse()).isEqualTo(2);
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void aRefreshedValueIsTakenAtOnce() {
    recent.get();
    recent.refresh();
    assertThat(recent.get().fetchMemoryInUse()).isEqualTo(2);
  }

  @Test
  void aLoopThatDoesNotAnswerCostsTheWaitOnlyOnce() {
    asking = TimeUnit.SECONDS.toNanos(5);
    recent.get();
    recent.get();
    recent.get();
    assertThat(asked).isEqualTo(1);
  }
}
