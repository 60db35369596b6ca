package com.example.shop;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/** Reads orders in the group {@code billing}, by two consumers. */
@Component
class Billing {
  private static final Logger LOGGER = LoggerFactory.getLogger(Billing.class);

  @KafkaListener(topics = Shop.ORDERS, groupId = "billing", concurrency = "2")
  void onOrder(ConsumerRecord<String, String> order) {
    LOGGER.info("billed {} for {}", order.key(), order.value());
  }
}
