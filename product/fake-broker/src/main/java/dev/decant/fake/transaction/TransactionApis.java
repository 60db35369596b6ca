package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.group.GroupCoordinator;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnRequest;
import dev.decant.kafka.protocol.message.AddOffsetsToTxnResponse;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnRequest;
import dev.decant.kafka.protocol.message.AddPartitionsToTxnResponse;
import dev.decant.kafka.protocol.message.DescribeProducersRequest;
import dev.decant.kafka.protocol.message.DescribeProducersResponse;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.protocol.message.EndTxnResponse;
import dev.decant.kafka.protocol.message.InitProducerIdRequest;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.ListTransactionsRequest;
import dev.decant.kafka.protocol.message.ListTransactionsResponse;
import dev.decant.kafka.protocol.message.TxnOffsetCommitRequest;
import dev.decant.kafka.protocol.message.TxnOffsetCommitResponse;
import dev.decant.kafka.protocol.message.WriteTxnMarkersRequest;
import dev.decant.kafka.protocol.message.WriteTxnMarkersResponse;
import java.util.EnumSet;
import java.util.Set;

/** The APIs of transactions and of their producers. */
public final class TransactionApis {
  private static final Set<ApiKey> KEYS = EnumSet.of(ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN,
      ApiKey.END_TXN, ApiKey.TXN_OFFSET_COMMIT, ApiKey.WRITE_TXN_MARKERS, ApiKey.DESCRIBE_PRODUCERS,
      ApiKey.DESCRIBE_TRANSACTIONS, ApiKey.LIST_TRANSACTIONS);

  private TransactionApis() {}

  /**
   * Adds transactions to a cluster.
   *
   * @param apis takes the handlers; that of InitProducerId replaces the one without transactions
   * @param cluster checks batches of its Produce requests from now on
   * @param groups keeps offsets until the end of their transactions
   * @return the coordinator
   */
  public static TransactionCoordinator addTo(ApiTable apis, Cluster cluster, GroupCoordinator groups) {
    TransactionCoordinator coordinator = new TransactionCoordinator(cluster, groups);
    ProduceGate gate = new ProduceGate(cluster, coordinator);
    cluster.transactionGate(gate);
    apis.addLater(EnumSet.of(ApiKey.INIT_PRODUCER_ID), () -> apis.add(ApiKey.INIT_PRODUCER_ID,
        InitProducerIdRequest::read, InitProducerIdResponse::write, InitProducerIdResponse::throttleTimeMs,
        new InitProducerIdHandler(cluster, coordinator)));
    apis.addLater(KEYS, () -> addNow(apis, cluster, groups, coordinator, gate));
    return coordinator;
  }

  private static void addNow(ApiTable apis, Cluster cluster, GroupCoordinator groups,
      TransactionCoordinator coordinator, ProduceGate gate) {
    apis.add(ApiKey.ADD_PARTITIONS_TO_TXN, AddPartitionsToTxnRequest::read, AddPartitionsToTxnResponse::write,
        AddPartitionsToTxnResponse::throttleTimeMs, new AddPartitionsToTxnHandler(cluster, coordinator));
    apis.add(ApiKey.ADD_OFFSETS_TO_TXN, AddOffsetsToTxnRequest::read, AddOffsetsToTxnResponse::write,
        AddOffsetsToTxnResponse::throttleTimeMs, new AddOffsetsToTxnHandler(cluster, coordinator));
    apis.add(ApiKey.END_TXN, EndTxnRequest::read, EndTxnResponse::write,
        EndTxnResponse::throttleTimeMs, new EndTxnHandler(coordinator));
    apis.add(ApiKey.TXN_OFFSET_COMMIT, TxnOffsetCommitRequest::read, TxnOffsetCommitResponse::write,
        TxnOffsetCommitResponse::throttleTimeMs, new TxnOffsetCommitHandler(cluster, gate, groups));
    apis.add(ApiKey.WRITE_TXN_MARKERS, WriteTxnMarkersRequest::read, WriteTxnMarkersResponse::write,
        (response, throttleTimeMs) -> response, new WriteTxnMarkersHandler(cluster, groups));
    apis.add(ApiKey.DESCRIBE_PRODUCERS, DescribeProducersRequest::read, DescribeProducersResponse::write,
        DescribeProducersResponse::throttleTimeMs, new DescribeProducersHandler(cluster));
    apis.add(ApiKey.DESCRIBE_TRANSACTIONS, DescribeTransactionsRequest::read, DescribeTransactionsResponse::write,
        DescribeTransactionsResponse::throttleTimeMs, new DescribeTransactionsHandler(coordinator));
    apis.add(ApiKey.LIST_TRANSACTIONS, ListTransactionsRequest::read, ListTransactionsResponse::write,
        ListTransactionsResponse::throttleTimeMs, new ListTransactionsHandler(cluster, coordinator));
  }
}
