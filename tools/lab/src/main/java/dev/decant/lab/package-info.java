/** The command line of the lab. */
@NullMarked
package dev.decant.lab;

import org.jspecify.annotations.NullMarked;
