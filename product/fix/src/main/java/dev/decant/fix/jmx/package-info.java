/**
 * Engines and sessions as MXBeans. Only this package needs the module {@code java.management}: an engine without
 * {@link dev.decant.fix.FixEngine.Builder#jmx} runs without it.
 */
@NullMarked
package dev.decant.fix.jmx;

import org.jspecify.annotations.NullMarked;
