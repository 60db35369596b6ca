package com.example.desk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.junit.FakeKafka;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each test has a cluster of its own, in the memory of this JVM: no port, no container, milliseconds. */
@Timeout(30)
@FakeKafka(topics = "payments=1", inMemory = true)
class OrderDeskTest {
  FakeCluster kafka; // set by the extension
  OrderDesk desk;

  @BeforeEach
  void open() throws InterruptedException {
    desk = new OrderDesk(kafka.bootstrap());
  }

  @AfterEach
  void close() {
    desk.close();
  }

  @Test
  void aPaymentIsStored() throws InterruptedException {
    assertEquals("order-1 is stored at 0", desk.pay("order-1"));
    assertEquals(List.of("paid"), kafka.log("payments", 0).texts());
  }

  @Test
  void aPaymentWhoseAcknowledgementIsLostIsStoredOnce() throws InterruptedException {
    kafka.faults().on(ApiKey.PRODUCE).nth(1).closeAfter();
    assertEquals("order-1 is stored at 0", desk.pay("order-1"));
    assertEquals(2, kafka.requests(ApiKey.PRODUCE).size());
    assertEquals(List.of("paid"), kafka.log("payments", 0).texts());
  }

  @Test
  void aRefusedPaymentIsReported() throws InterruptedException {
    kafka.faults().on(ApiKey.PRODUCE).every().answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    assertEquals("order-1 is refused: TOPIC_AUTHORIZATION_FAILED", desk.pay("order-1"));
    assertEquals(List.of(), kafka.log("payments", 0).texts());
  }
}
