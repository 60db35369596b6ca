package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.cluster.BrokerAddress;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the cursor with the generated message, on the same bytes. */
class FetchResponseReaderTest {
  private static final int ROUNDS = 200;

  private final Random random = new Random(7);
  private final FetchResponseReader reader = new FetchResponseReader();

  private FetchResponse someResponse(short version) {
    List<FetchResponse.FetchableTopicResponse> topics = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      List<FetchResponse.PartitionData> partitions = new ArrayList<>();
      for (int j = random.nextInt(5); j > 0; j--) {
        partitions.add(somePartition(version));
      }
      topics.add(new FetchResponse.FetchableTopicResponse().topicId(new Uuid(random.nextLong(), random.nextLong()))
          .topic("topic-" + random.nextInt(1000)).partitions(partitions));
    }
    FetchResponse response = new FetchResponse().throttleTimeMs(random.nextInt(100)).responses(topics);
    if (version >= 7) {
      response.errorCode((short) random.nextInt(80)).sessionId(random.nextInt());
    }
    if (version >= 16 && random.nextBoolean()) {
      response.nodeEndpoints(List.of(
          new FetchResponse.NodeEndpoint().nodeId(random.nextInt(9)).host("broker").port(9092).rack("a"),
          new FetchResponse.NodeEndpoint().nodeId(random.nextInt(9)).host("other").port(1).rack(null)));
    }
    return response;
  }

  private FetchResponse.PartitionData somePartition(short version) {
    FetchResponse.PartitionData data = new FetchResponse.PartitionData().partitionIndex(random.nextInt(100))
        .errorCode((short) random.nextInt(3)).highWatermark(random.nextLong()).lastStableOffset(random.nextLong())
        .logStartOffset(random.nextLong()).preferredReadReplica(version >= 11 ? random.nextInt(3) - 1 : -1);
    data.abortedTransactions(random.nextBoolean()
        ? null
        : List.of(
            new FetchResponse.AbortedTransaction().producerId(random.nextInt(9)).firstOffset(random.nextInt(1000)),
            new FetchResponse.AbortedTransaction().producerId(random.nextInt(9)).firstOffset(random.nextInt(1000))));
    data.records(random.nextInt(3) == 0 ? null : ByteBuffer.allocateDirect(random.nextInt(300)));
    if (version < 12) {
      return data;
    }
    if (random.nextBoolean()) {
      data.divergingEpoch(new FetchResponse.EpochEndOffset().epoch(random.nextInt(9)).endOffset(random.nextInt(1000)));
    }
    if (random.nextBoolean()) {
      data.currentLeader(new FetchResponse.LeaderIdAndEpoch().leaderId(random.nextInt(9)).leaderEpoch(3));
    }
    if (random.nextBoolean()) {
      data.snapshotId(new FetchResponse.SnapshotId().endOffset(5).epoch(2));
    }
    return data;
  }

  private static ProtocolReader encode(FetchResponse response, short version) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
    ProtocolWriter out = new ProtocolWriter(bytes, 0, bytes.capacity());
    response.write(out, version);
    return new ProtocolReader(bytes, 0, out.position());
  }

  private void requireSame(FetchResponse expected) {
    assertThat(reader.throttleMillis()).isEqualTo(expected.throttleTimeMs());
    assertThat(reader.topLevelError()).isEqualTo(expected.errorCode());
    assertThat(reader.sessionId()).isEqualTo(expected.sessionId());
    assertThat(reader.nodes()).isEqualTo(expected.nodeEndpoints().stream()
        .map(n -> new FetchResponseReader.Node(n.nodeId(), new BrokerAddress(n.host(), n.port()))).toList());
    for (FetchResponse.FetchableTopicResponse topic : expected.responses()) {
      assertThat(reader.nextTopic()).isTrue();
      requireSame(topic);
      for (FetchResponse.PartitionData data : topic.partitions()) {
        assertThat(reader.nextPartition()).isTrue();
        requireSame(data);
      }
      assertThat(reader.nextPartition()).isFalse();
    }
    assertThat(reader.nextTopic()).isFalse();
  }

  /** Compares the topic. Bytes that are no UTF-8 have no name from which to compute the key. */
  private void requireSame(FetchResponse.FetchableTopicResponse topic) {
    Uuid key = topic.topic().isEmpty() ? topic.topicId() : TopicNameKey.of(topic.topic());
    if (topic.topic().chars().allMatch(c -> c < 128)) {
      assertThat(new Uuid(reader.topicIdHigh(), reader.topicIdLow())).isEqualTo(key);
    }
  }

  private void requireSame(FetchResponse.PartitionData data) {
    assertThat(reader.partition()).isEqualTo(data.partitionIndex());
    assertThat(reader.error()).isEqualTo(data.errorCode());
    assertThat(reader.highWatermark()).isEqualTo(data.highWatermark());
    assertThat(reader.lastStableOffset()).isEqualTo(data.lastStableOffset());
    assertThat(reader.preferredReplica()).isEqualTo(data.preferredReadReplica());
    assertThat(reader.divergingEpoch()).isEqualTo(data.divergingEpoch().epoch());
    assertThat(reader.divergingEnd()).isEqualTo(data.divergingEpoch().endOffset());
    assertThat(reader.leader()).isEqualTo(data.currentLeader().leaderId());
    assertThat(reader.leaderEpoch()).isEqualTo(data.currentLeader().leaderEpoch());
    @Nullable
    ByteBuffer records = data.records();
    assertThat(reader.recordsTo() - reader.recordsFrom()).isEqualTo(records == null ? 0 : records.remaining());
    @Nullable
    List<FetchResponse.AbortedTransaction> aborted = data.abortedTransactions();
    assertThat(reader.aborted() != null).isEqualTo(aborted != null && !aborted.isEmpty());
  }

  @ParameterizedTest
  @ValueSource(shorts = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17})
  void readsTheSameAsTheMessage(short version) {
    for (int i = 0; i < ROUNDS; i++) {
      ProtocolReader bytes = encode(someResponse(version), version);
      FetchResponse expected = FetchResponse.read(new ProtocolReader(bytes.buffer(), 0, bytes.limit()), version);
      reader.wrap(bytes, version);
      requireSame(expected);
    }
  }

  /** Moving to the next topic skips the partitions that were not visited. */
  @ParameterizedTest
  @ValueSource(shorts = {4, 7, 11, 12, 13, 17})
  void topicsCanBePassedOver(short version) {
    for (int i = 0; i < ROUNDS; i++) {
      FetchResponse response = someResponse(version);
      reader.wrap(encode(response, version), version);
      List<Uuid> seen = new ArrayList<>();
      while (reader.nextTopic()) {
        seen.add(new Uuid(reader.topicIdHigh(), reader.topicIdLow()));
        if (random.nextBoolean()) {
          reader.nextPartition();
        }
      }
      assertThat(seen).isEqualTo(response.responses().stream()
          .map(t -> version < 13 ? TopicNameKey.of(t.topic()) : t.topicId()).toList());
    }
  }

  /** A response that was cut off is refused before any part of it is used. */
  @ParameterizedTest
  @ValueSource(shorts = {4, 7, 11, 12, 13, 17})
  void cutResponseIsRefused(short version) {
    for (int i = 0; i < ROUNDS; i++) {
      ProtocolReader whole = encode(someResponse(version), version);
      int length = random.nextInt(whole.limit());
      ProtocolReader cut = new ProtocolReader(whole.buffer(), 0, length);
      assertThatThrownBy(() -> reader.wrap(cut, version)).isInstanceOf(MalformedBytesException.class);
    }
  }

  /** After any change of one byte, cursor and message read the same, or both refuse it. */
  @ParameterizedTest
  @ValueSource(shorts = {4, 7, 11, 12, 13, 17})
  void damagedResponseIsReadOrRefusedAlike(short version) {
    for (int i = 0; i < 10 * ROUNDS; i++) {
      ProtocolReader bytes = encode(someResponse(version), version);
      bytes.buffer().put(random.nextInt(bytes.limit()), (byte) random.nextInt());
      FetchResponse expected = null;
      try {
        expected = FetchResponse.read(new ProtocolReader(bytes.buffer(), 0, bytes.limit()), version);
      } catch (RuntimeException e) {
        assertThatThrownBy(() -> reader.wrap(bytes, version)).as("round %d: %s", i, e)
            .isInstanceOf(RuntimeException.class);
      }
      if (expected != null) {
        reader.wrap(bytes, version);
        requireSame(expected);
      }
    }
  }
}
