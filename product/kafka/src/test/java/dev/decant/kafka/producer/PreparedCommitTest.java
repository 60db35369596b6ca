package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.TransactionState;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.EndTxnRequest;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The commit of a prepared transaction, step by step. */
@Timeout(60)
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class PreparedCommitTest {
  private static final Duration LATER = Duration.ofSeconds(20);

  /** A close between the two steps of a commit aborted what was prepared, and the commit reported it as lost. */
  @Test
  void closeDoesNotAbortAPreparedTransactionWhoseCommitHasBegun() throws InterruptedException {
    try (ScriptedBroker broker = ScriptedBroker.start(1); KafkaClient client = KafkaClient.connect(broker.address())) {
      Transactions transactions = client.transactions("payments").maxBlock(LATER).open();
      try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string())
          .topic(ScriptedBroker.TOPIC).transactions(transactions).open()) {
        transactions.begin();
        producer.sendAndWait(null, "v");
        assertThat(transactions.prepare(LATER)).isPresent();
        assertThat(transactions.session().beginCommit()).isTrue(); // commit() goes on only after the close
        assertThat(transactions.state()).isIn(TransactionState.COMMITTING, TransactionState.READY);
        transactions.close(LATER);
        transactions.session().finish(true);
      }
      assertThat(broker.requests(ApiKey.END_TXN)).singleElement()
          .satisfies(end -> assertThat(((EndTxnRequest) end.body()).committed()).isTrue());
    }
  }
}
