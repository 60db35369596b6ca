package dev.decant.runtime;

/**
 * A flag of the HotSpot JVM.
 *
 * @param value as HotSpot prints it
 * @param given true if the flag was set on the command line or in the environment; false if the JVM chose the value
 */
public record VmFlag(String value, boolean given) {}
