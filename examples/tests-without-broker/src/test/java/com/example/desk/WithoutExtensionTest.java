package com.example.desk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.decant.fake.FakeCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same without the extension, for other test frameworks. */
@Timeout(30)
class WithoutExtensionTest {
  @Test
  void aPaymentSurvivesTheDeathOfALeader() throws InterruptedException {
    try (FakeCluster kafka = FakeCluster.builder().brokers(3).topic("payments", 1).inMemory().start();
        OrderDesk desk = new OrderDesk(kafka.bootstrap())) {
      assertEquals("order-1 is stored at 0", desk.pay("order-1"));
      kafka.broker(kafka.log("payments", 0).leader()).kill();
      assertEquals("order-2 is stored at 1", desk.pay("order-2"));
    }
  }
}
