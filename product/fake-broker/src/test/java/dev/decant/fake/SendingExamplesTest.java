package dev.decant.fake;

import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// The class is shown in docs/testing.md, and FaultDocumentationTest compares the two.
@SuppressWarnings("NullAway") // the extension sets the cluster
@Timeout(30)
@FakeKafka(topics = "orders=1", inMemory = true)
class SendingExamplesTest {
  /** The code under test. */
  record OrderDesk(Producer<String, String> orders) {
    String pay(String order) throws InterruptedException {
      try {
        return order + " is stored at " + orders.sendAndWait(order, "paid").offset();
      } catch (KafkaException e) {
        return order + " is refused: " + e.code();
      }
    }
  }

  FakeCluster kafka;
  KafkaClient client;
  OrderDesk desk;

  @BeforeEach
  void open() throws InterruptedException {
    client = KafkaClient.connect(kafka.bootstrap()); // what the application has in its configuration
    desk = new OrderDesk(client.producer(Serdes.string(), Serdes.string()).topic("orders").open());
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void success() throws Exception {
    Assertions.assertEquals("order-1 is stored at 0", desk.pay("order-1"));
    Assertions.assertEquals(List.of("paid"), kafka.log("orders", 0).texts()); // what was sent
  }

  @Test
  void retry() throws Exception {
    kafka.faults().on(ApiKey.PRODUCE).nth(1).closeAfter(); // stored, but the response is lost
    Assertions.assertEquals("order-1 is stored at 0", desk.pay("order-1"));
    Assertions.assertEquals(2, kafka.requests(ApiKey.PRODUCE).size());
    Assertions.assertEquals(List.of("paid"), kafka.log("orders", 0).texts()); // once
  }

  @Test
  void failure() throws Exception {
    kafka.faults().on(ApiKey.PRODUCE).every().answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    Assertions.assertEquals("order-1 is refused: TOPIC_AUTHORIZATION_FAILED", desk.pay("order-1"));
    Assertions.assertEquals(List.of(), kafka.log("orders", 0).texts());
  }
}
