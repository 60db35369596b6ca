package dev.decant.fake.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.ClusterClock;
import dev.decant.fake.cluster.Partition;
import dev.decant.fake.cluster.Release;
import dev.decant.fake.cluster.Settings;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.loop.EventLoop;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the error for a batch of a transaction that its coordinator does not have, by release and by version of
 * Produce.
 */
@Timeout(30)
class ProduceGateTest {
  private static ByteBuffer batch(long producerId) {
    ByteBuffer batch = ByteBuffer.allocate(RecordBatchHeader.BYTES);
    RecordBatchHeader header = new RecordBatchHeader();
    header.transactional = true;
    header.producerId = producerId;
    header.producerEpoch = 0;
    header.recordCount = 1;
    header.writeTo(batch, 0, 0);
    return batch.position(0).limit(RecordBatchHeader.BYTES);
  }

  private static ErrorCode admit(Release release, int version, @Nullable String id, long shift) throws Exception {
    CompletableFuture<ErrorCode> result = new CompletableFuture<>();
    try (EventLoop loop = EventLoop.start("gate", new ClusterClock())) {
      loop.execute(() -> {
        try {
          Cluster cluster = new Cluster("c", release, Settings.ofBrokers(), loop);
          cluster.addBroker(1, null, "h").started(1);
          Partition partition = cluster.createTopic("orders", 1, 1, Map.of()).partitions().getFirst();
          TransactionCoordinator coordinator = new TransactionCoordinator(cluster, new GroupCoordinator(cluster));
          long producer = coordinator.initialize("shop", 60_000, ProducerIdentity.NONE).producer().id();
          ProduceGate gate = new ProduceGate(cluster, coordinator);
          result.complete(gate.admit(id, partition, batch(producer + shift), (short) version));
        } catch (Throwable e) { // the test waits for it
          result.completeExceptionally(e);
        }
      });
      return result.get(20, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 5, 9, NONE", "3, 6, 9, INVALID_TXN_STATE", "3, 9, 10, INVALID_TXN_STATE",
      "3, 9, 11, TRANSACTION_ABORTABLE", "4, 3, 11, TRANSACTION_ABORTABLE", "4, 3, 12, NONE", "4, 3, 13, NONE"})
  void aPartitionThatWasNotAdded(int major, int minor, int version, ErrorCode error) throws Exception {
    assertThat(admit(new Release(major, minor), version, "shop", 0)).isEqualTo(error);
  }

  @ParameterizedTest
  @CsvSource({"11, 1, shop, INVALID_PRODUCER_ID_MAPPING", "13, 1, shop, INVALID_PRODUCER_ID_MAPPING",
      "13, 0, , TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "13, 0, other, INVALID_PRODUCER_ID_MAPPING"})
  void aProducerThatTheCoordinatorDoesNotKnow(int version, int shift, @Nullable String id, ErrorCode error)
      throws Exception {
    assertThat(admit(Release.DEFAULT, version, id, shift)).isEqualTo(error);
  }
}
