package com.example.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Orders something each second. An order that is not stored is logged with the reason. */
@Component
class Customers {
  private static final Logger LOGGER = LoggerFactory.getLogger(Customers.class);
  private static final int CUSTOMERS = 10;

  private final KafkaTemplate<String, String> template;
  private int orders;

  Customers(KafkaTemplate<String, String> template) {
    this.template = template;
  }

  @Scheduled(fixedRate = 1_000)
  void order() {
    String customer = "customer-" + orders++ % CUSTOMERS;
    try {
      template.send(Shop.ORDERS, customer, "100 apples").whenComplete((stored, error) -> {
        if (error != null) {
          LOGGER.warn("the order of {} is not stored: {}", customer, error.getMessage());
        }
      });
    } catch (RuntimeException e) { // thrown by the call itself if no broker says where the topic is
      LOGGER.warn("the order of {} is not sent: {}", customer, e.getMessage());
    }
  }
}
