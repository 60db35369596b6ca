package com.example.desk;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;

/** The code under test: it stores payments, and says what came of each. */
public final class OrderDesk implements AutoCloseable {
  private final KafkaClient client;
  private final Producer<String, String> payments;

  /**
   * Opens a desk.
   *
   * @param bootstrap addresses of brokers
   * @throws InterruptedException if the thread is interrupted
   */
  public OrderDesk(String bootstrap) throws InterruptedException {
    client = KafkaClient.connect(bootstrap);
    payments = client.producer(Serdes.string(), Serdes.string()).topic("payments").open();
  }

  /**
   * Stores a payment.
   *
   * @param order that was paid
   * @return what came of it
   * @throws InterruptedException if the thread is interrupted
   */
  public String pay(String order) throws InterruptedException {
    try {
      return order + " is stored at " + payments.sendAndWait(order, "paid").offset();
    } catch (KafkaException e) {
      return order + " is refused: " + e.code();
    }
  }

  @Override
  public void close() {
    payments.close();
    client.close();
  }
}
