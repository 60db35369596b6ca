package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.log.MessageLog;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import dev.decant.idle.IdleStrategy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message of megabytes needed an output of twice its size, set by hand and allocated for the life of the session. */
@Timeout(60)
class LargeMessagesTest {
  private static final int LARGE = 4 << 20;

  private static SessionSettingsBuilder rules(SessionSettingsBuilder settings) {
    return settings.maxMessageBytes(LARGE).ringBytes(4 * LARGE); // the echo is not sent if there is no room for it
  }

  @Test
  void messagesOfMegabytesGoBothWaysAndAreResent() throws Exception {
    MemoryStores stores = new MemoryStores(64 << 20);
    try (TwoEngines engines = new TwoEngines(IdleStrategy.block(), LargeMessagesTest::rules, stores, stores,
        MessageLog.none())) {
      engines.received.keepTexts = true;
      String text = "x".repeat(LARGE - 100);
      OutboundMessage order = engines.client.newMessage();
      for (int i = 0; i < 3; i++) {
        assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
        order.text(11, text + i);
        assertThat(order.send()).isEqualTo(i + 2);
      }
      assertThat(engines.clientEngine.waitUntil(() -> engines.received.count == 3, TwoEngines.PATIENCE))
          .as("%s came back, %s were sent", ends(engines.received.texts), engines.echo.count).isTrue();
      assertThat(engines.client.setNextInbound(2).get(20, TimeUnit.SECONDS)).isEqualTo(2);
      OutboundMessage last = engines.client.newMessage();
      assertThat(last.begin("D")).isEqualTo(SendStatus.OK);
      last.text(11, "last");
      last.send();
      assertThat(engines.clientEngine.waitUntil(() -> engines.received.texts.contains("last"), TwoEngines.PATIENCE))
          .isTrue();
      assertThat(ends(engines.received.texts)).contains("x0", "x2", "x0 again", "x2 again");
    }
  }

  private static List<String> ends(List<String> texts) {
    return texts.stream().map(text -> text.substring(Math.max(0, text.lastIndexOf('x')))).toList();
  }
}
