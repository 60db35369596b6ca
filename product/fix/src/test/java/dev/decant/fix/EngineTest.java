package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines on a loopback socket. */
@Timeout(60)
class EngineTest {
  /** An application that sends in a callback cannot wait for room: twice as many messages as this fit in its ring. */
  private static final int BURST = 250;

  private static void awaitReceived(TwoEngines engines, long count) throws InterruptedException {
    assertThat(engines.clientEngine.waitUntil(() -> engines.received.count >= count, TwoEngines.PATIENCE))
        .as("%d of %d are back, %d were echoed", engines.received.count, count, engines.echo.count).isTrue();
  }

  @Test
  void ordersComeBackOneAtATime() throws IOException, InterruptedException {
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block())) {
      engines.roundTrips(5_000);

      assertThat(engines.received.count).isEqualTo(5_000);
      assertThat(engines.received.lastNumber).isEqualTo(5_001);
      assertThat(engines.client.nextOutbound()).isEqualTo(5_002);
      assertThat(engines.client.nextInbound()).isEqualTo(5_002);
    }
  }

  @Test
  void streamOfOrdersComesBackInOrder() throws IOException, InterruptedException {
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block())) {
      for (int sent = 1; sent <= 50_000; sent++) {
        engines.send();
        if (sent % BURST == 0) {
          awaitReceived(engines, sent - BURST);
        }
      }

      awaitReceived(engines, 50_000);
      assertThat(engines.received.lastNumber).isEqualTo(50_001);
    }
  }
}
