// Reads as client-go's documentation shows: a shared informer of all pods, with an index by node. For comparison only.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// The task is the same as of the other clients (task.ts).
type task struct {
	Kubeconfig string `json:"kubeconfig"`
	What       string `json:"what"`
	Pods       int    `json:"pods"`
	Events     int    `json:"events"`
}

type sockets struct {
	Opened int `json:"opened"`
	AtOnce int `json:"atOnce"`
}

type measured struct {
	Ms      float64 `json:"ms"`
	CPUMs   float64 `json:"cpuMs"`
	PeakRss int64   `json:"peakRss"`
	Sockets sockets `json:"sockets"`
}

// Counts the connections.
type dialer struct {
	mutex sync.Mutex
	open  int
	seen  sockets
}

type countedConn struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *countedConn) Close() error {
	c.once.Do(c.closed)
	return c.Conn.Close()
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.open++
	d.seen.Opened++
	d.seen.AtOnce = max(d.seen.AtOnce, d.open)
	return &countedConn{Conn: conn, closed: func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.open--
	}}, nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var given task
	if err := json.Unmarshal([]byte(os.Args[1]), &given); err != nil {
		return err
	}
	cpuBefore, _ := usage()
	config, err := clientcmd.BuildConfigFromFlags("", given.Kubeconfig)
	if err != nil {
		return err
	}
	dialer := &dialer{}
	config.Dial = dialer.dial
	if os.Getenv("PROTOBUF") != "" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	err = informer.AddIndexers(cache.Indexers{"node": func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}})
	if err != nil {
		return err
	}
	done := make(chan time.Duration, 1)
	startedAt := time.Now()
	var firstAt time.Time
	added, updated := 0, 0
	// Handlers are called one at a time.
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			added++
			if added == given.Pods && given.What == "list" {
				done <- time.Since(startedAt)
			}
		},
		UpdateFunc: func(any, any) {
			if updated == 0 {
				firstAt = time.Now()
			}
			updated++
			if updated == given.Events && given.What == "events" {
				done <- time.Since(firstAt)
			}
		},
	})
	if err != nil {
		return err
	}
	go informer.Run(context.Background().Done())
	took := <-done
	cpu, peakRss := usage()
	dialer.mutex.Lock()
	defer dialer.mutex.Unlock()
	return json.NewEncoder(os.Stdout).Encode(measured{
		Ms:      float64(took) / float64(time.Millisecond),
		CPUMs:   float64(cpu-cpuBefore) / float64(time.Millisecond),
		PeakRss: peakRss,
		Sockets: dialer.seen,
	})
}

// Processor time and the most resident memory so far.
func usage() (time.Duration, int64) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), used.Maxrss * 1024
}
