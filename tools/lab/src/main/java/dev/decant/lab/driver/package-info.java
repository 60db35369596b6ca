/** The measured client: the JVM of one client in one sample, which serves its parent's requests on standard input. */
@NullMarked
package dev.decant.lab.driver;

import org.jspecify.annotations.NullMarked;
