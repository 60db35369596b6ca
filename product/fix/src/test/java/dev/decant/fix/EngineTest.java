package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.idle.IdleStrategy;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines on a loopback socket. */
@Timeout(60)
class EngineTest {
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
      for (int i = 0; i < 50_000; i++) {
        engines.send();
      }

      assertThat(engines.clientEngine.waitUntil(() -> engines.received.count == 50_000, TwoEngines.PATIENCE)).isTrue();
      assertThat(engines.received.lastNumber).isEqualTo(50_001);
    }
  }
}
