package dev.decant.lab.carriers;

import dev.decant.lab.server.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a run of {@code decant carriers} measures. A setup is not measured at every combination of settings: parallelism
 * and poller mode are combined, and read pollers and priority are varied where there are as many carriers as processors
 * (read pollers also with one carrier, for which they are meant).
 *
 * @param servers in this order
 * @param loads in this order
 * @param connections of the plain load
 * @param parallelism carrier threads, and event loops
 * @param pollerModes of the JDK
 * @param readPollers beside the JDK's own choice
 * @param nice of carriers, beside 0
 * @param cpus of this machine
 * @param warmUpMillis before each sample
 * @param durationMillis of each sample
 * @param rounds how often all setups are measured, there and back
 * @param quick only the most telling setups
 * @param jvmArguments of the servers, after the lab's own
 */
public record CarriersPlan(List<ServerKind> servers, List<LoadKind> loads, List<Integer> connections,
    List<Integer> parallelism, List<Integer> pollerModes, List<Integer> readPollers, List<Integer> nice, int cpus,
    long warmUpMillis, long durationMillis, int rounds, boolean quick, List<String> jvmArguments) {

  /**
   * All setups.
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
   * The setups in turns, there and back, so that what drifts in the machine falls on all alike.
   *
   * @return one entry per sample
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
      settings.add(new Setting(middle(), pollerModes.getFirst(), 0, 0)); // only its place among the servers
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

  /** A platform poller needs no carrier, so that fewer carriers than processors tell less with it. */
  private List<Integer> quickParallelism(int mode) {
    return mode == Setting.PLATFORM_POLLERS
        ? List.of(middle())
        : parallelism.stream().filter(count -> count <= Math.max(cpus, middle())).toList();
  }

  /** As many as processors, or what is next to it among those asked for. */
  private int middle() {
    return parallelism.contains(cpus) ? cpus : parallelism.getLast();
  }

  /** The first server on virtual threads: a quick run varies the settings of this one only. */
  private ServerKind leader() {
    return servers.stream().filter(ServerKind::onVirtualThreads).findFirst().orElse(ServerKind.MINIMAL);
  }
}
