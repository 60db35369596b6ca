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
 * Dictionaries whose files were loaded again while the engine runs. Sessions that are opened later with an older load
 * use these, too. Any thread.
 */
final class RenewedDictionaries {
  private final Map<Path, Dictionary> newest = new ConcurrentHashMap<>();

  /**
   * Replaces older loads of a dictionary's file in all sessions. Returns how many sessions use the new one. The second
   * pass finds sessions that were opened during the first.
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
      newest.merge(file, dictionary, (known, added) -> added.isLaterLoadOf(known) ? added : known);
    }
  }

  /** Replaces older loads of these dictionaries in a session that was just opened. */
  void renew(SessionRunner opened) {
    for (Dictionary dictionary : newest.values()) {
      CompletableFuture<Integer> unused = opened.renewDictionaries(dictionary);
    }
  }
}
