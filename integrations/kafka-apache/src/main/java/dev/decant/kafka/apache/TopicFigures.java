package dev.decant.kafka.apache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.MetricName;

/** What is counted of one topic, or of all together. Any thread. */
final class TopicFigures {
  /** Of a topic, to be removed with it. */
  final List<MetricName> names = new ArrayList<>();
  /** When a batch was sent last. Owner of the client's loop only. */
  long usedNanos;
  final LongAdder records = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder errors = new LongAdder();
}
