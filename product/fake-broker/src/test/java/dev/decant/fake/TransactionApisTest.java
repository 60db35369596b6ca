package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTopic;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the APIs of transactions, request by request, in versions that today's clients no longer send. */
@Timeout(30)
class TransactionApisTest {
  private final FakeCluster cluster = FakeCluster.builder().topic("orders", 2).start();

  @AfterEach
  void close() {
    cluster.close();
  }

  private RawClient client() throws IOException {
    return new RawClient(cluster, 1, "raw");
  }

  private static InitProducerIdResponse initialize(RawClient client, int version, long id, int epoch)
      throws IOException {
    return client.ask(ApiKey.INIT_PRODUCER_ID, version, new InitProducerIdRequest().transactionalId("shop")
        .transactionTimeoutMs(60_000).producerId(id).producerEpoch((short) epoch)::write,
        InitProducerIdResponse::read);
  }

  private static AddPartitionsToTxnResponse add(RawClient client, int version, long id, int epoch, String topic)
      throws IOException {
    AddPartitionsToTxnRequest request = new AddPartitionsToTxnRequest();
    List<AddPartitionsToTxnTopic> topics = List.of(
        new AddPartitionsToTxnTopic().name("orders").partitions(List.of(0)),
        new AddPartitionsToTxnTopic().name(topic).partitions(List.of(1)));
    if (version < 4) {
      request.v3AndBelowTransactionalId("shop").v3AndBelowProducerId(id).v3AndBelowProducerEpoch((short) epoch)
          .v3AndBelowTopics(topics);
    } else {
      request.transactions(List.of(new AddPartitionsToTxnTransaction().transactionalId("shop").producerId(id)
          .producerEpoch((short) epoch).topics(topics)));
    }
    return client.ask(ApiKey.ADD_PARTITIONS_TO_TXN, version, request::write, AddPartitionsToTxnResponse::read);
  }

  private static List<ErrorCode> errors(AddPartitionsToTxnResponse response, int version) {
    var topics = version < 4
        ? response.resultsByTopicV3AndBelow()
        : response.resultsByTransaction().getFirst().topicResults();
    return topics.stream().flatMap(topic -> topic.resultsByPartition().stream())
        .map(partition -> ErrorCode.of(partition.partitionErrorCode())).toList();
  }

  private static EndTxnResponse end(RawClient client, int version, long id, int epoch, boolean isCommit)
      throws IOException {
    return client.ask(ApiKey.END_TXN, version, new EndTxnRequest().transactionalId("shop").producerId(id)
        .producerEpoch((short) epoch).committed(isCommit)::write, EndTxnResponse::read);
  }

  @ParameterizedTest
  @CsvSource({"3, INVALID_PRODUCER_EPOCH", "4, PRODUCER_FENCED", "5, PRODUCER_FENCED"})
  void aFencedBeginIsNamedAsItsVersionNamesIt(int version, ErrorCode error) throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, version, -1, -1).producerId();
      for (int i = 0; i < 3; i++) {
        initialize(client, version, -1, -1);
      }
      assertThat(initialize(client, version, id, 0).errorCode()).isEqualTo(error.code());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void partitionsAreAddedInEachVersion(int version) throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      assertThat(errors(add(client, version, id, 0, "orders"), version)).containsOnly(ErrorCode.NONE);
      assertThat(errors(add(client, version, id, 0, "none"), version))
          .containsExactly(ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
      assertThat(errors(add(client, version, id, 1, "orders"), version))
          .containsOnly(version < 2 ? ErrorCode.INVALID_PRODUCER_EPOCH : ErrorCode.PRODUCER_FENCED);
      assertThat(errors(add(client, version, id + 1, 0, "orders"), version))
          .containsOnly(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
    }
  }

  @Test
  void brokersMayAskWhetherPartitionsAreThere() throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      AddPartitionsToTxnRequest request = new AddPartitionsToTxnRequest().transactions(
          List.of(new AddPartitionsToTxnTransaction().transactionalId("shop").producerId(id).producerEpoch((short) 0)
              .verifyOnly(true)
              .topics(List.of(new AddPartitionsToTxnTopic().name("orders").partitions(List.of(0))))));
      assertThat(errors(client.ask(ApiKey.ADD_PARTITIONS_TO_TXN, 5, request::write, AddPartitionsToTxnResponse::read),
          5)).containsExactly(ErrorCode.TRANSACTION_ABORTABLE);
      add(client, 5, id, 0, "orders");
      assertThat(errors(client.ask(ApiKey.ADD_PARTITIONS_TO_TXN, 5, request::write, AddPartitionsToTxnResponse::read),
          5)).containsExactly(ErrorCode.NONE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void anEndOfVersion1KeepsTheEpoch(int version) throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      add(client, 3, id, 0, "orders");
      assertThat(end(client, version, id, 0, true).errorCode()).isZero();
      assertThat(end(client, version, id, 0, true).errorCode()).isZero();
      assertThat(end(client, version, id, 0, false).errorCode()).isEqualTo(ErrorCode.INVALID_TXN_STATE.code());
      assertThat(add(client, 3, id, 0, "orders").resultsByTopicV3AndBelow().getFirst().resultsByPartition().getFirst()
          .partitionErrorCode()).isZero();
      assertThat(end(client, version, id, 5, true).errorCode()).isEqualTo(
          (version < 2 ? ErrorCode.INVALID_PRODUCER_EPOCH : ErrorCode.PRODUCER_FENCED).code());
    }
  }

  @Test
  void anEndOfVersion2GivesTheNextEpochAndARetryTheSame() throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      add(client, 3, id, 0, "orders");
      EndTxnResponse first = end(client, 5, id, 0, true);
      EndTxnResponse again = end(client, 5, id, 0, true);
      assertThat(List.of(first.errorCode(), first.producerId(), first.producerEpoch()))
          .isEqualTo(List.of((short) 0, id, (short) 1))
          .isEqualTo(List.of(again.errorCode(), again.producerId(), again.producerEpoch()));
      assertThat(cluster.log("orders", 0).logEnd()).isEqualTo(1);
    }
  }

  @Test
  void aBeginAbortsWhatIsOpenAndHasTheClientAskAgain() throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      add(client, 3, id, 0, "orders");
      assertThat(initialize(client, 5, -1, -1).errorCode()).isEqualTo(ErrorCode.CONCURRENT_TRANSACTIONS.code());
      assertThat(initialize(client, 5, -1, -1).producerEpoch()).isEqualTo((short) 2);
    }
  }

  @Test
  void aBeginWaitsForMarkersThatAreOnTheirWay() throws Exception {
    try (RawClient client = client()) {
      long id = initialize(client, 5, -1, -1).producerId();
      add(client, 3, id, 0, "orders");
      cluster.removeLeader("orders", 0);
      end(client, 4, id, 0, true);
      assertThat(initialize(client, 5, -1, -1).errorCode()).isEqualTo(ErrorCode.CONCURRENT_TRANSACTIONS.code());
      assertThat(errors(add(client, 3, id, 0, "orders"), 3)).containsOnly(ErrorCode.CONCURRENT_TRANSACTIONS);
      cluster.moveLeader("orders", 0, 1);
      assertThat(initialize(client, 5, -1, -1).errorCode()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 900_001})
  void aTimeOutOutOfBoundsIsRefused(int millis) throws Exception {
    try (RawClient client = client()) {
      InitProducerIdRequest request = new InitProducerIdRequest().transactionalId("shop")
          .transactionTimeoutMs(millis).producerId(-1).producerEpoch((short) -1);
      assertThat(client.ask(ApiKey.INIT_PRODUCER_ID, 5, request::write, InitProducerIdResponse::read).errorCode())
          .isEqualTo(ErrorCode.INVALID_TRANSACTION_TIMEOUT.code());
    }
  }
}
