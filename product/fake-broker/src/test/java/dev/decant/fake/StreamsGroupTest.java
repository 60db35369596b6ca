package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that clients receive an error at once for streams groups (KIP-1071), which a fake cluster does not have. */
@Timeout(30)
class StreamsGroupTest {
  @Test
  void clientsHearThatThereAreNone() {
    try (FakeCluster cluster = FakeCluster.start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
      assertThatThrownBy(() -> admin.describeStreamsGroups(List.of("g")).all().get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(UnsupportedVersionException.class);
    }
  }
}
