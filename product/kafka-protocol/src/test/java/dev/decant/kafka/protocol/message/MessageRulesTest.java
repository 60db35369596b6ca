package dev.decant.kafka.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.buffer.BufferTooSmallException;
import dev.decant.buffer.MalformedBytesException;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageRulesTest {
  private static final short V0 = 0;
  private static final short V1 = 1;
  private static final short V2 = 2;
  private static final short V18 = 18;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(8192);
  private final ProtocolWriter out = new ProtocolWriter(memory, 0, memory.capacity());

  @Test
  void aFieldThatTheVersionLacksIsRefusedByName() {
    InitProducerIdRequest request = new InitProducerIdRequest().producerId(5);
    assertThatThrownBy(() -> request.write(out, V2)).isInstanceOf(UnsupportedVersionException.class)
        .hasMessage("InitProducerIdRequest.producerId is set, but version 2 does not have it");
  }

  @Test
  void aFieldOfAStructIsRefusedWithItsWholeName() {
    FetchRequest request = new FetchRequest()
        .topics(List.of(
            new FetchRequest.FetchTopic().partitions(List.of(new FetchRequest.FetchPartition().lastFetchedEpoch(1)))));
    assertThatThrownBy(() -> request.write(out, (short) 11)).isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("FetchRequest.FetchPartition.lastFetchedEpoch");
  }

  @Test
  void anIgnorableFieldIsDroppedByAVersionThatLacksIt() {
    ListOffsetsRequest request = new ListOffsetsRequest().timeoutMs(500);
    request.write(out, (short) 9);
    ProtocolReader in = new ProtocolReader(memory, 0, out.position());
    assertThat(ListOffsetsRequest.read(in, (short) 9).timeoutMs()).isZero();
  }

  @Test
  void nullIsRefusedByAVersionThatDoesNotAllowIt() {
    MetadataRequest request = new MetadataRequest().topics(null);
    assertThatThrownBy(() -> request.write(out, V0)).isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("MetadataRequest.topics is null");
    request.write(out, V1);
    assertThatThrownBy(() -> MetadataRequest.read(new ProtocolReader(memory, 0, out.position()), V0))
        .isInstanceOf(MalformedBytesException.class).hasMessageContaining("MetadataRequest.topics is null");
  }

  @ParameterizedTest
  @ValueSource(shorts = {-1, 3, 19, Short.MAX_VALUE})
  void aVersionThatDoesNotExistIsRefused(short version) {
    assertThatThrownBy(() -> new FetchRequest().write(out, version)).isInstanceOf(UnsupportedVersionException.class)
        .hasMessage("FetchRequest has versions 4 to 18, not " + version);
    assertThatThrownBy(() -> FetchRequest.read(new ProtocolReader(), version))
        .isInstanceOf(UnsupportedVersionException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 126, 127, 128, 3000})
  void aTaggedFieldOfAnySizeIsReadBack(int length) {
    FetchRequest request = new FetchRequest().clusterId("x".repeat(length)).rackId("r");
    request.write(out, V18);
    assertThat(FetchRequest.read(new ProtocolReader(memory, 0, out.position()), V18)).isEqualTo(request);
  }

  @Test
  void aRegionThatIsTooSmallIsSaidSoAtEverySize() {
    FetchRequest request = new FetchRequest().clusterId("x".repeat(200)).rackId("r");
    request.write(out, V18);
    int size = out.position();
    for (int room = 0; room < size; room++) {
      ProtocolWriter small = new ProtocolWriter(memory, 0, room);
      assertThatThrownBy(() -> request.write(small, V18)).isInstanceOf(BufferTooSmallException.class);
    }
  }

  @Test
  void bytesThatWereReadAreASliceOfTheFrame() {
    ProduceRequest.PartitionProduceData partition = new ProduceRequest.PartitionProduceData().records(bytes("batch"));
    ProduceRequest request = new ProduceRequest()
        .topicData(List.of(new ProduceRequest.TopicProduceData().name("t").partitionData(List.of(partition))));
    request.write(out, (short) 12);
    ProduceRequest read = ProduceRequest.read(new ProtocolReader(memory, 0, out.position()), (short) 12);
    ByteBuffer records = read.topicData().getFirst().partitionData().getFirst().records();
    assertThat(records).isEqualTo(bytes("batch"));
    memory.put(out.position() - 1 - 1 - 1 - 5, (byte) 'B');
    assertThat(records).isEqualTo(bytes("Batch"));
  }

  @Test
  void anUnsignedNumberIsChecked() {
    DescribeQuorumResponse.Listener listener = new DescribeQuorumResponse.Listener();
    assertThat(listener.port(65535).port()).isEqualTo(65535);
    assertThatThrownBy(() -> listener.port(65536)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("port 65536 is not in 0..65535");
  }

  @Test
  void secretsDoNotShowInLogs() {
    ByteBuffer secret = bytes("s3cret");
    var upsertion = new AlterUserScramCredentialsRequest.ScramCredentialUpsertion().salt(secret).saltedPassword(secret);
    var config = new IncrementalAlterConfigsRequest.AlterableConfig().name("ssl.key.password").value("s3cret");
    List<Object> all = List.of(new SaslAuthenticateRequest().authBytes(secret),
        new SaslAuthenticateResponse().authBytes(secret), new CreateDelegationTokenResponse().hmac(secret),
        new RenewDelegationTokenRequest().hmac(secret), new ExpireDelegationTokenRequest().hmac(secret),
        new DescribeDelegationTokenResponse.DescribedDelegationToken().hmac(secret),
        new PushTelemetryRequest().metrics(secret), upsertion, config,
        new CreateTopicsRequest.CreatableTopicConfig().value("s3cret"),
        new DescribeConfigsResponse.DescribeConfigsResourceResult().value("s3cret"));
    for (Object message : all) {
      assertThat(message.toString()).doesNotContain("s3cret").containsAnyOf("=6 bytes", "=(hidden)");
    }
    assertThat(config.toString()).contains("ssl.key.password");
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
