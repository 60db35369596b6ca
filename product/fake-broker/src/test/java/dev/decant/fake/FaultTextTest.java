package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that faults in the form of words equal those of the builder, and that errors name the wrong word. */
@Timeout(30)
class FaultTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"Produce topic=orders nth=2 answer=NOT_LEADER_OR_FOLLOWER", "produce  NTH=2 close-before",
      "Produce nth=2 close-after", "Produce broker=1 nth=2 delay=1ms", "Produce nth=2 answer-after=1ms",
      "Produce nth=2 throttle=1ms", "Produce nth=2 damage", "Produce nth=2 answer-in-two-pieces",
      "Produce nth=2 answer-twice"})
  void aFaultInWordsHitsTheRequestThatItNames(String text) throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders=1 retention.ms=1000").start();
        KafkaClient client = KafkaClient.connect(cluster.bootstrap());
        Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      Fault fault = cluster.faults().add(text);
      producer.sendAndWait("k", "one");
      assertThat(fault.hits()).isZero();
      producer.sendAndWait("k", "two");
      assertThat(fault.hits()).isEqualTo(1);
      assertThat(cluster.log("orders", 0).texts()).containsExactly("one", "two");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "''|is not an API of Kafka",
      "Prodce close-after|Prodce is not an API of Kafka; begin with one such as Produce",
      "Produce|does not say what happens; end it with answer=ERROR",
      "Produce nth=two close-after|nth=two is not a whole number from 1",
      "Produce nth=0 close-after|nth=0 is not a whole number from 1",
      "Produce answer=OOPS|answer=OOPS is not an error of Kafka's brokers; write its name",
      "Produce answer=NONE|answer=NONE is not an error",
      "Produce answer=CLIENT_CLOSED|answer=CLIENT_CLOSED is not an error",
      "Produce delay=200|delay=200 is not a time; write it as 200ms",
      "Produce delay=999999999h|delay=999999999h is too long; write at most 168h",
      "Produce nth=99999999999 close-after|nth=99999999999 is not a whole number from 1 to 2147483647",
      "Produce every nth=2 close-after|nth=2 contradicts every or repeats it; remove one of the two",
      "Produce nth=2 every close-after|every contradicts nth=2 or repeats it",
      "Produce nth=2 first=3 close-after|first=3 contradicts nth=2 or repeats it",
      "Produce every every close-after|every contradicts every or repeats it",
      "Produce topic=orders topic=paid close-after|topic=paid contradicts topic=orders or repeats it",
      "Produce broker=1 broker=1 close-after|broker=1 contradicts broker=1 or repeats it",
      "Produce client=a client=b close-after|client=b contradicts client=a or repeats it",
      "Produce broker=7 close-after|broker=7 is no broker of this cluster; the only broker is 1",
      "Produce topic=ordres close-after|topic=ordres is no topic of this cluster; create it first, or correct the name",
      "Produce topic=ordres close-after|correct the name: there are orders, paid",
      "Produce topic=or/ders close-after|topic=or/ders is no topic of this cluster",
      "Produce topic= close-after|topic= has no value",
      "Produce where=x close-after|where=x is not known; write broker=ID",
      "Produce close-after every|every comes after what happens"})
  void anErrorNamesTheWordAndSaysWhatToWrite(String text, String message) {
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).topic("paid", 1).start()) {
      assertThatThrownBy(() -> cluster.faults().add(text)).isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(message).message().doesNotContain("\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"any topic=later close-after", "any topic=__consumer_offsets close-after"})
  void aTopicThatClientsAreGoingToMakeMayBeNamedWhereThereIsNone(String text) {
    try (FakeCluster cluster = FakeCluster.start()) {
      assertThat(cluster.faults().add(text).hits()).isZero();
    }
  }

  /** Two contradicting calls made no error: the last one won. */
  @Test
  void aBuilderRefusesWhatContradictsItself() {
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 1).start()) {
      assertThatThrownBy(() -> cluster.faults().onAny().nth(2).every()).isInstanceOf(IllegalStateException.class)
          .hasMessage("nth, first and every exclude each other: call one of them, once");
      assertThatThrownBy(() -> cluster.faults().onAny().topic("a").topic("b")).isInstanceOf(IllegalStateException.class)
          .hasMessage("topic is given already; a second fault may have another one");
      assertThatThrownBy(() -> cluster.faults().onAny().broker(3)).isInstanceOf(IllegalArgumentException.class)
          .hasMessage("there is no broker 3; the brokers are 1 to 2");
    }
  }

  /** The second topic replaced the first one. */
  @Test
  void aTopicIsGivenOnce() {
    assertThatThrownBy(() -> FakeCluster.builder().topic("orders=6").topic("orders"))
        .hasMessage("topic orders is given twice; remove one of them");
    assertThatThrownBy(() -> FakeCluster.builder().topic("orders retention.ms=1 retention.ms=2"))
        .hasMessageContaining("retention.ms=2 sets a second time what is set already; remove one of them");
  }

  @Test
  void aLongTextWithControlCharactersIsShownInOneBoundedLine() {
    try (FakeCluster cluster = FakeCluster.start()) {
      assertThatThrownBy(() -> cluster.faults().add("Produce\n" + "\u001b".repeat(10_000)))
          .message().doesNotContain("\n", "\u001b").hasSizeLessThan(1_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders=many", "orders=1 retention.ms", "orders=99999999999"})
  void aTopicInWordsThatCannotBeReadIsAnError(String text) {
    assertThatThrownBy(() -> FakeCluster.builder().topic(text)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("topic '" + text + "'");
  }
}
