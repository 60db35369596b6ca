package dev.decant.kafka.apache;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs on fake brokers. */
@ExtendWith(PlainCluster.class)
abstract class ReadsFromFake extends ReadsFromCluster {
  @Override
  final String bootstrap() {
    return PlainCluster.bootstrap();
  }

  @Override
  final void createTopic(String name, int partitions) {
    PlainCluster.createTopic(name, partitions);
  }
}
