package dev.decant.fake.differential;

import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Makes random scenarios of one subject. The same random numbers make the same scenario. */
interface Grammar {
  /** The steps that scenarios begin with. */
  List<Step> first();

  /** One operation more: a step, or several that belong together. */
  List<Step> next();

  /** The grammar of a seed, with its scenario. */
  static List<Step> scenario(long seed, String prefix, int operations) {
    Random random = new Random(seed);
    Grammar grammar = switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> new RecordGrammar(prefix, random);
      case 4, 5 -> new ClassicGrammar(prefix, random);
      case 6 -> new ConsumerGrammar(prefix, random);
      default -> new TransactionGrammar(prefix, random);
    };
    List<Step> steps = new ArrayList<>(grammar.first());
    while (steps.size() < operations) {
      steps.addAll(grammar.next());
    }
    return steps;
  }

  /** Any version that brokers offer. */
  static int version(Random random, ApiKey api) {
    Release.Range range = Objects.requireNonNull(Release.DEFAULT.versions(api));
    return range.lowest() + random.nextInt(range.highest() - range.lowest() + 1);
  }
}
