package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class LinkSettingsTest {
  private static LinkSettings settings(long first, long most) {
    return new LinkSettings("test", 1, 1, 1, 1, InetAddress::getAllByName, first, most,
        LinkSecurity.NONE, new ClusterIdentity(true));
  }

  @Test
  void pauseBeforeConnectingDoublesUpToItsBoundMoreOrLessAFifth() {
    LinkSettings settings = settings(100, 1_000);
    long[] plain = {100, 200, 400, 800, 1_000, 1_000};
    for (int failures = 1; failures <= plain.length; failures++) {
      assertThat(settings.reconnectBackoffNanos(failures)).isBetween(plain[failures - 1] * 8 / 10,
          plain[failures - 1] * 12 / 10);
    }
    assertThat(settings.reconnectBackoffNanos(Integer.MAX_VALUE)).isBetween(800L, 1_200L);
  }

  @Test
  void boundThatIsLessThanTheFirstPauseIsEveryPause() {
    assertThat(settings(5_000, 1_000).reconnectBackoffNanos(1)).isBetween(800L, 1_200L);
  }

  @Test
  void otherTimeOutKeepsThePauses() {
    LinkSettings settings = settings(100, 1_000);
    assertThat(settings.withRequestTimeout(7)).isEqualTo(
        new LinkSettings("test", 1, 7, 1, 1, settings.resolver(), 100, 1_000, LinkSecurity.NONE,
            settings.identity()));
  }
}
