package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The dictionaries that were loaded from their files again while the engine runs. Sessions that are opened later with
 * an older one go by these, too. Any thread.
 */
final class RenewedDictionaries {
  private final Map<Path, Dictionary> newest = new ConcurrentHashMap<>();

  /**
   * Has sessions go by a dictionary in place of older ones of its file. Counts those that do. The second look finds
   * sessions that were opened during the first one.
   */
  CompletableFuture<Integer> renew(Dictionary dictionary, Collection<SessionRunner> sessions) {
    return renewOpen(dictionary, sessions).thenCompose(count -> {
      add(dictionary);
      return renewOpen(dictionary, sessions).thenApply(more -> count + more);
    });
  }

  private static CompletableFuture<Integer> renewOpen(Dictionary dictionary, Collection<SessionRunner> sessions) {
    List<CompletableFuture<Integer>> outcomes = new ArrayList<>();
    for (SessionRunner session : sessions) {
      outcomes.add(session.renewDictionaries(dictionary));
    }
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
        .thenApply(unused -> (int) outcomes.stream().filter(outcome -> outcome.join() > 0).count());
  }

  private void add(Dictionary dictionary) {
    Path file = dictionary.file();
    if (file != null) {
      newest.merge(file, dictionary, (known, added) -> added.renews(known) ? added : known);
    }
  }

  /** Has a session that was opened go by them. */
  void renew(SessionRunner opened) {
    for (Dictionary dictionary : newest.values()) {
      CompletableFuture<Integer> unused = opened.renewDictionaries(dictionary);
    }
  }
}
