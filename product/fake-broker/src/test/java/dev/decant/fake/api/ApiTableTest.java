package dev.decant.fake.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.ClusterClock;
import dev.decant.fake.cluster.Release;
import dev.decant.fake.cluster.Settings;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.HeartbeatRequest;
import dev.decant.kafka.protocol.message.HeartbeatResponse;
import dev.decant.loop.EventLoop;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that APIs which are added at their first request are offered before it, and that a missing one is an error. */
@Timeout(30)
@SuppressWarnings("NullAway") // the handlers are not called
class ApiTableTest {
  private final ApiTable apis = new ApiTable(Release.DEFAULT);

  private void addHeartbeat() {
    apis.add(ApiKey.HEARTBEAT, HeartbeatRequest::read, HeartbeatResponse::write, HeartbeatResponse::throttleTimeMs,
        null);
  }

  @Test
  void anApiThatIsAddedLaterIsOfferedAndAddedOnce() {
    AtomicInteger additions = new AtomicInteger();
    apis.addLater(Set.of(ApiKey.HEARTBEAT), () -> {
      additions.incrementAndGet();
      addHeartbeat();
    });
    assertThat(apis.versions(ApiKey.HEARTBEAT)).isNotNull();
    assertThat(additions).hasValue(0);
    assertThat(apis.of(ApiKey.HEARTBEAT)).isSameAs(apis.of(ApiKey.HEARTBEAT)).isNotNull();
    assertThat(apis.versions(ApiKey.HEARTBEAT)).isNotNull();
    assertThat(additions).hasValue(1);
  }

  @Test
  void anApiThatWasNotAnnouncedIsAnError() {
    apis.addLater(Set.of(ApiKey.SYNC_GROUP), this::addHeartbeat);
    assertThatThrownBy(() -> apis.of(ApiKey.SYNC_GROUP)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("HEARTBEAT");
  }

  @Test
  void everyStandardApiIsThereWhenItIsAskedFor() {
    try (EventLoop loop = EventLoop.start("apis", new ClusterClock())) {
      Cluster cluster = new Cluster("id", Release.DEFAULT, Settings.ofBrokers(), loop);
      ApiTable all = StandardApis.of(cluster);
      for (ApiKey key : ApiKey.values()) {
        assertThat(all.of(key) != null).as(key.label()).isEqualTo(all.versions(key) != null);
      }
    }
  }
}
