package com.example.shop;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/** Reads orders in the group {@code billing}, by two consumers, and writes a bill for each. */
@Component
class Billing {
  private static final Logger LOGGER = LoggerFactory.getLogger(Billing.class);

  private final KafkaTemplate<String, String> template;

  Billing(KafkaTemplate<String, String> template) {
    this.template = template;
  }

  /** A bill that cannot be stored fails the order, which Spring's error handler then repeats. */
  @KafkaListener(topics = Shop.ORDERS, groupId = "billing", concurrency = "2")
  void onOrder(ConsumerRecord<String, String> order) {
    template.send(Shop.BILLS, order.key(), order.value()).join();
    LOGGER.info("billed {} for {}", order.key(), order.value());
  }
}
