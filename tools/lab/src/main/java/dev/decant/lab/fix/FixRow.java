package dev.decant.lab.fix;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All samples of one setup. Every figure is the median of its samples.
 *
 * @param setup the setup
 * @param samples at least one sample
 */
public record FixRow(FixSetup setup, List<FixMeasured> samples) {

  /**
   * Returns the median of a figure over all samples.
   *
   * @param figure the figure
   * @return the median
   */
  public double median(FixFigure figure) {
    return figure.median(samples);
  }

  /**
   * Returns the heap that each thread has allocated.
   *
   * @return bytes by the thread's name, the mean of all samples; without threads that have allocated none
   */
  public Map<String, Double> bytesByThread() {
    Map<String, Double> bytes = new TreeMap<>();
    samples.forEach(sample -> sample.bytesByThread()
        .forEach((thread, count) -> bytes.merge(thread, (double) count / samples.size(), Double::sum)));
    return bytes;
  }

  /**
   * Returns the number of collections of each collector.
   *
   * @return by the collector's name, the mean of all samples; without collectors that did not run
   */
  public Map<String, Double> collectionsByCollector() {
    Map<String, Double> counts = new TreeMap<>();
    samples.forEach(sample -> sample.collectionsByCollector()
        .forEach((name, count) -> counts.merge(name, (double) count / samples.size(), Double::sum)));
    return counts;
  }
}
