package dev.decant.lab.carriers;

import dev.decant.lab.server.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The plan of a run of {@code decant carriers}. A setup is not measured at every combination of settings: parallelism
 * and poller mode are combined. Read pollers and priority are varied with as many carriers as processors, and read
 * pollers also with one carrier, for which they are meant.
 *
 * @param servers servers, in this order
 * @param loads loads, in this order
 * @param connections numbers of connections of the plain load
 * @param parallelism numbers of carrier threads, and of event loops
 * @param pollerModes poller modes of the JDK
 * @param readPollers numbers of read pollers, beside the JDK's own choice
 * @param nice priorities of carriers, beside 0
 * @param cpus number of this machine's processors
 * @param warmUpMillis duration of the warm-up of each sample
 * @param durationMillis duration of each sample
 * @param rounds number of passes over all setups, each there and back
 * @param quick true for the most significant setups only
 * @param jvmArguments flags of the servers, after the lab's own
 */
public record CarriersPlan(List<ServerKind> servers, List<LoadKind> loads, List<Integer> connections,
    List<Integer> parallelism, List<Integer> pollerModes, List<Integer> readPollers, List<Integer> nice, int cpus,
    long warmUpMillis, long durationMillis, int rounds, boolean quick, List<String> jvmArguments) {

  /**
   * Returns all setups.
   *
   * @return in the order of the first turn
   */
  public List<Setup> setups() {
    List<Setup> setups = new ArrayList<>();
    for (LoadKind load : loads) {
      for (int count : load.connections(connections)) {
        for (ServerKind server : servers) {
          settings(server).forEach(setting -> setups.add(new Setup(server, load, count, setting)));
        }
      }
    }
    return setups;
  }

  /**
   * Returns the setups in turns, there and back, so that slow changes of the machine affect all alike.
   *
   * @return one entry for each sample
   */
  List<Setup> turns() {
    List<Setup> turns = new ArrayList<>();
    List<Setup> setups = setups();
    for (int round = 0; round < rounds; round++) {
      turns.addAll(setups);
      turns.addAll(setups.reversed());
    }
    return turns;
  }

  private List<Setting> settings(ServerKind server) {
    if (!server.onVirtualThreads()) {
      List<Integer> useful = parallelism.stream().filter(count -> count <= cpus).toList();
      return (useful.isEmpty() ? parallelism : useful).stream().map(Setting::loops).toList();
    }
    Set<Setting> settings = new LinkedHashSet<>();
    if (quick && server != leader()) {
      // measured only for its place among the servers
      settings.add(new Setting(middle(), pollerModes.getFirst(), 0, 0));
      return List.copyOf(settings);
    }
    for (int mode : pollerModes) {
      for (int count : quick ? quickParallelism(mode) : parallelism) {
        settings.add(new Setting(count, mode, 0, 0));
      }
      Setting base = new Setting(middle(), mode, 0, 0);
      nice.forEach(value -> settings.add(base.withNice(value)));
    }
    addReadPollers(settings);
    return List.copyOf(settings);
  }

  private void addReadPollers(Set<Setting> settings) {
    Set<Integer> counts = new LinkedHashSet<>(List.of(parallelism.getFirst()));
    if (!quick) {
      counts.add(middle());
    }
    for (int pollers : readPollers) {
      counts.forEach(count -> settings.add(new Setting(count, pollerModes.getFirst(), pollers, 0)));
    }
  }

  /**
   * Returns the parallelism of a quick run. A platform poller needs no carrier, so fewer carriers than processors show
   * less with it.
   */
  private List<Integer> quickParallelism(int mode) {
    return mode == Setting.PLATFORM_POLLERS
        ? List.of(middle())
        : parallelism.stream().filter(count -> count <= Math.max(cpus, middle())).toList();
  }

  /** Returns the number of processors, or the nearest requested parallelism. */
  private int middle() {
    return parallelism.contains(cpus) ? cpus : parallelism.getLast();
  }

  /** Returns the first server on virtual threads; a quick run varies the settings of this one only. */
  private ServerKind leader() {
    return servers.stream().filter(ServerKind::onVirtualThreads).findFirst().orElse(ServerKind.MINIMAL);
  }
}
